// The script of /docs: fetches the OpenAPI document with the reader's key, shows every operation, and sends requests.
const base = new URL(".", location.href).href.replace(/\/$/, "");
const byId = (id) => document.getElementById(id);
let spec = null;
let clientKey = "";

/** An element with text, a class and children. */
function make(tag, { text, className, ...attributes } = {}, children = []) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className !== undefined) node.className = className;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function resolve(schema) {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? (schema ?? {}) : spec.components.schemas[name];
}

function typeOf(reference) {
  const schema = resolve(reference);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" | ");
  if (schema.type === "array") return `${typeOf(schema.items)}[]`;
  return Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? "any");
}

function boundsOf(schema) {
  const parts = [schema, ...(schema.anyOf ?? [])];
  const found = (name) => parts.map((part) => part[name]).find((value) => value !== undefined);
  const rows = [
    ["minimum", (value) => `≥ ${value}`],
    ["maximum", (value) => `≤ ${value}`],
    ["maxLength", (value) => `≤ ${value} characters`],
    ["maxItems", (value) => `≤ ${value} items`],
    ["default", (value) => `default ${JSON.stringify(value)}`],
  ];
  return rows.flatMap(([name, words]) => (found(name) === undefined ? [] : [words(found(name))])).join(", ");
}

/** Every field below a schema with its dotted path. */
function fieldsOf(reference, prefix = "") {
  const schema = resolve(reference);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = resolve(field);
    const items = resolve(inner.items);
    const below = items.properties ? fieldsOf(items, `${prefix}${name}[].`) : fieldsOf(inner, `${prefix}${name}.`);
    return [{ name: prefix + name, field: inner, isRequired: (schema.required ?? []).includes(name) }, ...below];
  });
}

function fieldTable(schema) {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return make("p", { text: typeOf(schema) });
  const head = make(
    "tr",
    {},
    ["Field", "Type", "Required", "Bounds", "Description"].map((text) => make("th", { text })),
  );
  const rows = fields.map(({ name, field, isRequired }) =>
    make("tr", {}, [
      make("td", {}, [make("code", { text: name })]),
      make("td", { text: typeOf(field) }),
      make("td", { text: isRequired ? "yes" : "" }),
      make("td", { text: boundsOf(field) }),
      make("td", { text: field.description ?? "" }),
    ]),
  );
  return make("div", { className: "scroll" }, [make("table", {}, [head, ...rows])]);
}

/** One table for each content type, and for each shape that it takes. */
function content(title, types) {
  const parts = Object.entries(types ?? {}).flatMap(([type, { schema }]) => {
    const resolved = resolve(schema);
    const shapes = resolved.properties ? [resolved] : (resolved.anyOf ?? [resolved]);
    return shapes.flatMap((shape, at) => [
      make("p", { text: shapes.length > 1 ? `${type}, shape ${at + 1} of ${shapes.length}` : type }),
      fieldTable(shape),
    ]);
  });
  return [make("h3", { text: title }), ...(parts.length > 0 ? parts : [make("p", { text: "No body." })])];
}

function exampleOf(operation) {
  const types = operation.requestBody?.content ?? {};
  const [type, media] = Object.entries(types).find(([, { example }]) => example !== undefined) ?? [];
  return type === undefined ? null : { type, body: media.example };
}

/** The path with example values in place of its parameters. */
function filledPath(path, operation) {
  const examples = new Map(operation.parameters.map(({ name, example }) => [name, example]));
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(examples.get(name) ?? name));
}

function queryOf(operation) {
  const required = operation.parameters.filter((each) => each.in === "query" && each.required);
  const value = ({ schema }) => schema.enum?.[0] ?? schema.const ?? schema.default ?? "";
  return required.length === 0
    ? ""
    : `?${required.map((each) => `${each.name}=${encodeURIComponent(value(each))}`).join("&")}`;
}

function headersOf(operation) {
  const named = operation.parameters.filter((each) => each.in === "header").map(({ name }) => [name, "2023-06-01"]);
  return operation.security.length === 0 ? named : [["Authorization", "Bearer $TURNPIKE_KEY"], ...named];
}

const shellQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf(path, method, operation) {
  const example = exampleOf(operation);
  const isForm = example?.type === "multipart/form-data";
  const body =
    example === null || isForm
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(example.body))}`];
  const form = isForm
    ? Object.entries(example.body).map(([name, value]) => `-F ${shellQuoted(`${name}=${value}`)}`)
    : [];
  const verb = method === "get" || example !== null ? [] : [`-X ${method.toUpperCase()}`];
  const headers = headersOf(operation).map(([name, value]) => `-H "${name}: ${value}"`);
  const address = `"${base}${filledPath(path, operation)}${queryOf(operation)}"`;
  return [`curl ${address}`, ...verb, ...headers, ...body, ...form].join(" \\\n  ");
}

/** A form that sends the operation's request and shows the answer. */
function tryForm(path, method, operation) {
  const example = exampleOf(operation);
  if (example?.type === "multipart/form-data") return [];
  const address = make("input", { "aria-label": "Path", value: filledPath(path, operation) + queryOf(operation) });
  const body = make("textarea", {
    "aria-label": "Request body",
    text: example === null ? "" : JSON.stringify(example.body, null, 2),
  });
  const output = make("pre", { role: "status", hidden: "" });
  const send = make("button", { text: "Send", type: "submit" });
  const form = make("form", {}, [address, ...(example === null ? [] : [body]), send]);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    output.hidden = false;
    output.textContent = "Sending…";
    const headers = Object.fromEntries(
      headersOf(operation).map(([name, value]) => [name, value.replace("$TURNPIKE_KEY", clientKey)]),
    );
    const sent =
      example === null ? {} : { body: body.value, headers: { ...headers, "Content-Type": "application/json" } };
    try {
      const answer = await fetch(base + address.value, { method: method.toUpperCase(), headers, ...sent });
      const type = answer.headers.get("content-type") ?? "";
      const shown = /json|text/.test(type) ? await answer.text() : `${type}, ${(await answer.blob()).size} bytes`;
      output.textContent = `${answer.status}\n${shown.slice(0, 20_000)}`;
    } catch (thrown) {
      output.textContent = `The request failed: ${thrown.message}`;
    }
  });
  return [make("h3", { text: "Try it" }), form, output];
}

function detailsOf(path, method, operation) {
  const { 200: ok, ...errors } = operation.responses;
  const statuses = Object.entries(errors).map(([status, { description }]) =>
    make("li", { text: `${status}: ${description}` }),
  );
  const errorBody = Object.values(errors)[0]?.content;
  return [
    ...content("Request", operation.requestBody?.content),
    ...content("Response", ok.content),
    ...(errorBody === undefined ? [] : [...content("Errors", errorBody), make("ul", {}, statuses)]),
    make("h3", { text: "curl" }),
    make("pre", { text: curlOf(path, method, operation) }),
    ...tryForm(path, method, operation),
  ];
}

function row(path, method, operation) {
  const summary = make("summary", {}, [
    make("span", { text: method.toUpperCase(), className: "method" }),
    make("code", { text: path }),
    make("span", { text: operation.summary, className: "what" }),
  ]);
  const box = make("details", {}, [summary]);
  // The whole document at once would be thousands of table rows.
  box.addEventListener("toggle", () => {
    if (box.children.length === 1) box.append(make("div", { className: "body" }, detailsOf(path, method, operation)));
  });
  return box;
}

function showRows(filter = "") {
  const all = Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const words = filter.toLowerCase();
  const shown = all.filter(({ path, operation }) => `${path} ${operation.summary}`.toLowerCase().includes(words));
  const groups = spec.tags.flatMap(({ name }) => {
    const rows = shown.filter(({ operation }) => operation.tags.includes(name));
    if (rows.length === 0) return [];
    const boxes = rows.map(({ path, method, operation }) => row(path, method, operation));
    return [make("section", {}, [make("h2", { text: name }), ...boxes])];
  });
  byId("rows").replaceChildren(...(groups.length > 0 ? groups : [make("p", { text: "No operation matches." })]));
}

async function show(key) {
  const answer = await fetch(`${base}/openapi.json`, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) {
    byId("note").textContent = "This key is not valid.";
    return;
  }
  clientKey = key;
  spec = await answer.json();
  byId("note").textContent = "";
  byId("form").hidden = true;
  byId("find").hidden = false;
  showRows();
}

byId("base").textContent = `${base}/v1`;
byId("filter").addEventListener("input", (event) => showRows(event.target.value));
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  show(byId("key").value);
});
const given = new URLSearchParams(location.search).get("key");
if (given !== null) {
  history.replaceState(null, "", location.pathname);
  show(given);
}
