// Projects: what their keys may do together, what new keys inherit, the default model, and which bodies are stored.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { formRules } from "../../data/form-rules.ts";
import { useBudgets, useKeys, useProjects } from "../../data/queries.ts";
import type { Project, Rules } from "../../data/types.ts";
import { useSearch } from "../../data/url.ts";
import { texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button, Id, Section, Source } from "../../ui/basics.tsx";
import { BudgetBar } from "../../ui/budget-bar.tsx";
import { ConfirmName } from "../../ui/confirm.tsx";
import { Drawer, Popup } from "../../ui/drawer.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { RuleFields, rulesOf, valuesOf } from "./forms.tsx";

const words = texts.projects;
const allowed = formRules.projects;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const objectOf = (value: unknown): Rules => (typeof value === "object" && value !== null ? (value as Rules) : {});

interface ProjectFormProps {
  readonly project: Project | null;
  readonly label: string;
  readonly done: () => void;
}

function ProjectForm({ project, label, done }: ProjectFormProps) {
  const queries = useQueryClient();
  const before = project?.rules ?? {};
  const [name, setName] = useState(project?.name ?? "");
  const [model, setModel] = useState(textOf(before["default_model"]));
  const [bodies, setBodies] = useState(textOf(objectOf(before["bodies"])["store"]));
  const [own, setOwn] = useState(() => valuesOf(before));
  const [defaults, setDefaults] = useState(() => valuesOf(objectOf(before["key_defaults"])));
  const submit = async () => {
    const { default_model: _, bodies: stored, key_defaults: keys, ...rest } = rulesOf(own, before);
    const forKeys = rulesOf(defaults, objectOf(keys));
    const rules = {
      ...rest,
      ...(model.trim() === "" ? {} : { default_model: model.trim() }),
      ...(bodies === "" ? {} : { bodies: { ...objectOf(stored), store: bodies } }),
      ...(Object.keys(forKeys).length === 0 ? {} : { key_defaults: forKeys }),
    };
    const change = name.trim() === project?.name ? { rules } : { name: name.trim(), rules };
    if (project === null) await call("projects", { body: change });
    else
      await call(`projects/${encodeURIComponent(project.id)}`, {
        ...{ method: "PATCH", body: change, ifMatch: project.version },
      });
    await queries.invalidateQueries({ queryKey: ["projects"] });
    await queries.invalidateQueries({ queryKey: ["budgets"] });
    done();
  };
  return (
    <Form submit={submit} label={label} fields={["name", "rules"]}>
      {(errorOf) => (
        <>
          <Field label={words.name} value={name} change={setName} error={errorOf("name")} rule={allowed.name} />
          <Field
            label={words.model}
            value={model}
            change={setModel}
            hint={words.modelHint}
            rule={allowed["rules.default_model"]}
            error={errorOf("rules.default_model")}
          />
          <Field
            label={words.bodies}
            value={bodies}
            change={setBodies}
            options={Object.entries(words.bodyChoices)}
            error={errorOf("rules.bodies")}
          />
          <fieldset className="flex flex-col gap-3">
            <legend className="mb-1 font-semibold">{words.own}</legend>
            <RuleFields values={own} change={setOwn} errorOf={errorOf} />
          </fieldset>
          <fieldset className="flex flex-col gap-3">
            <legend className="mb-1 font-semibold">{words.defaults}</legend>
            <RuleFields values={defaults} change={setDefaults} errorOf={errorOf} at="rules.key_defaults" />
          </fieldset>
        </>
      )}
    </Form>
  );
}

function Remove({ project, done }: { readonly project: Project; readonly done: () => void }) {
  const queries = useQueryClient();
  const act = async () => {
    await call(`projects/${encodeURIComponent(project.id)}`, { method: "DELETE" });
    await queries.invalidateQueries({ queryKey: ["projects"] });
    done();
  };
  return (
    <ConfirmName
      {...{ label: words.remove, title: `${words.remove} ${project.name}`, note: words.removeNote }}
      {...{ name: project.name, field: words.confirmName, act }}
    />
  );
}

function Detail({ project, close }: { readonly project: Project; readonly close: () => void }) {
  const { data: budgets = [] } = useBudgets();
  return (
    <>
      <p className="flex flex-wrap items-center gap-4">
        <Id id={project.id} length={24} />
        {project.source === "file" ? <Source source="file" line={project.file_line} /> : null}
      </p>
      {budgets
        .filter(({ level, id }) => level === "project" && id === project.id)
        .map((budget) => (
          <BudgetBar key={budget.period} budget={budget} />
        ))}
      {project.source === "file" ? (
        <p className="mt-4 text-muted">{texts.common.readOnly}</p>
      ) : (
        <Allowed resource="projects" verb="update">
          <Section title={words.edit}>
            <ProjectForm key={project.version} project={project} label={texts.common.save} done={() => undefined} />
          </Section>
          {project.id === "default" ? null : <Remove project={project} done={close} />}
        </Allowed>
      )}
    </>
  );
}

export function Projects() {
  const [search, change] = useSearch();
  const [isCreating, setCreating] = useState(false);
  const projects = useProjects();
  const { data: keys = [] } = useKeys();
  const open = projects.data?.find(({ id }) => id === search["open"]);
  const keysOf = (id: string): number =>
    keys.filter(({ project_id: project, state }) => project === id && state === "active").length;
  const columns: readonly Column<Project>[] = [
    { id: "name", title: words.name, value: ({ name }) => name, cell: ({ name }) => name },
    { id: "keys", title: words.keys, isNumber: true, value: ({ id }) => keysOf(id), cell: ({ id }) => keysOf(id) },
    {
      id: "model",
      title: words.model,
      value: ({ rules }) => textOf(rules["default_model"]),
      cell: ({ rules }) => textOf(rules["default_model"]) || "–",
    },
    { id: "bodies", title: words.bodies, cell: ({ rules }) => textOf(objectOf(rules["bodies"])["store"]) || "–" },
    {
      id: "source",
      title: words.source,
      cell: ({ source, file_line: line }) => <Source source={source} line={line} />,
    },
  ];
  const create = (
    <Allowed resource="projects" verb="create">
      <Button onClick={() => setCreating(true)}>{words.create}</Button>
    </Allowed>
  );
  return (
    <>
      <div className="mb-2 flex justify-end">{create}</div>
      <Loaded query={projects} isEmpty={(rows) => rows.length === 0} empty={<Empty>{words.empty}</Empty>}>
        {(rows) => (
          <Table
            name="projects"
            label={words.list}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            open={({ id }) => change({ open: id }, true)}
          />
        )}
      </Loaded>
      <Popup title={words.create} isOpen={isCreating} close={() => setCreating(false)}>
        <ProjectForm project={null} label={words.create} done={() => setCreating(false)} />
      </Popup>
      {open === undefined ? null : (
        <Drawer title={open.name} isOpen close={() => change({ open: undefined })}>
          <Detail project={open} close={() => change({ open: undefined })} />
        </Drawer>
      )}
    </>
  );
}
