// Responses as bytes of a connection, and what they are: valid ones with their status, headers and body, and invalid ones.

export interface RawResponse {
  readonly name: string;
  readonly bytes: string;
  readonly status: number;
  readonly body: string;
  /** Complete only when the connection is closed. */
  readonly untilClose?: true;
  /** The connection must not serve another request. */
  readonly last?: true;
  /** The runtime's own client refuses it. */
  readonly onlyHere?: true;
  readonly headers?: Readonly<Record<string, string>>;
}

const head = (lines: string, status = "200 OK") => `HTTP/1.1 ${status}\r\n${lines}\r\n`;
const chunkedHead = head("Transfer-Encoding: chunked\r\n");

export const validResponses: readonly RawResponse[] = [
  { name: "a body by length", bytes: `${head("Content-Length: 5\r\n")}hello`, status: 200, body: "hello" },
  { name: "an empty body", bytes: head("Content-Length: 0\r\n"), status: 200, body: "" },
  {
    name: "a header without a space, with white space around, empty, and repeated",
    bytes: `${head("A:1\r\nB: \t 2 \t\r\nC:\r\nd: x\r\nD: y\r\nContent-Length:1\r\n")}!`,
    status: 200,
    body: "!",
    headers: { a: "1", b: "2", c: "", d: "x, y" },
  },
  {
    name: "bytes above ASCII in a header",
    bytes: `${head("x: caf\xe9\r\nContent-Length: 1\r\n")}!`,
    status: 200,
    body: "!",
  },
  { name: "no reason phrase", bytes: `HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nno`, status: 404, body: "no" },
  { name: "an odd status", bytes: `${head("Content-Length: 1\r\n", "599 Odd")}!`, status: 599, body: "!" },
  { name: "line feeds alone", bytes: "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", status: 200, body: "ok" },
  { name: "one chunk", bytes: `${chunkedHead}5\r\nhello\r\n0\r\n\r\n`, status: 200, body: "hello" },
  {
    name: "chunks of several sizes, with upper case, leading zeros and extensions",
    bytes: `${chunkedHead}1\r\na\r\n00A;x=y\r\n0123456789\r\n2\r\nbc\r\n0;z\r\n\r\n`,
    status: 200,
    body: "a0123456789bc",
  },
  {
    name: "sizes of chunks that are padded with spaces",
    bytes: `${chunkedHead}2  \r\nbc\r\n0 \r\n\r\n`,
    status: 200,
    body: "bc",
    onlyHere: true,
  },
  {
    name: "chunks that look like framing",
    bytes: `${chunkedHead}7\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n`,
    status: 200,
    body: "0\r\n\r\n\r\n",
  },
  { name: "trailers", bytes: `${chunkedHead}1\r\na\r\n0\r\nx-end: 1\r\ny: 2\r\n\r\n`, status: 200, body: "a" },
  {
    name: "a body up to the end",
    bytes: `${head("X: 1\r\n")}to the end`,
    status: 200,
    body: "to the end",
    untilClose: true,
    last: true,
  },
  { name: "HTTP/1.0", bytes: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", status: 200, body: "ok", last: true },
  {
    name: "HTTP/1.0 that stays open",
    bytes: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
    status: 200,
    body: "ok",
  },
  {
    name: "a connection that closes",
    bytes: `${head("Connection: Close\r\nContent-Length: 2\r\n")}ok`,
    status: 200,
    body: "ok",
    last: true,
  },
  {
    name: "a length beside chunks",
    bytes: `${head("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n")}1\r\na\r\n0\r\n\r\n`,
    status: 200,
    body: "a",
    last: true,
  },
  {
    name: "the same length twice",
    bytes: `${head("Content-Length: 2\r\nContent-Length: 2\r\n")}ok`,
    status: 200,
    body: "ok",
  },
  {
    name: "204 with a length",
    bytes: head("Content-Length: 5\r\n", "204 No Content"),
    status: 204,
    body: "",
    last: true,
  },
  { name: "304 without a length", bytes: head("", "304 Not Modified"), status: 304, body: "" },
  { name: "204 with a length of 0", bytes: head("Content-Length: 0\r\n", "204 No Content"), status: 204, body: "" },
  {
    name: "304 with the length of what it stands for",
    bytes: head("Content-Length: 5\r\n", "304 Not Modified"),
    status: 304,
    body: "",
    last: true,
  },
  {
    name: "HTTP/1.0 in chunks",
    bytes: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    status: 200,
    body: "a",
    last: true,
  },
  {
    name: "identity as a coding",
    bytes: `${head("Transfer-Encoding: identity\r\nContent-Length: 2\r\n")}ok`,
    status: 200,
    body: "ok",
  },
  {
    name: "line feeds alone, and a body with an empty line",
    bytes: "HTTP/1.1 200 OK\nContent-Length: 7\n\na\r\n\r\nbc",
    status: 200,
    body: "a\r\n\r\nbc",
  },
  {
    name: "line feeds, and a carriage return in the empty line",
    bytes: "HTTP/1.1 200 OK\nContent-Length: 2\n\r\nok",
    status: 200,
    body: "ok",
  },
  {
    name: "an interim response with line feeds",
    bytes: `HTTP/1.1 100 Continue\n\n${head("Content-Length: 1\r\n")}!`,
    status: 200,
    body: "!",
  },
  {
    name: "an empty line of a line feed, before one of both",
    bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\n\r\n",
    status: 200,
    body: "\r\n",
  },
  {
    name: "interim responses",
    bytes: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${head("Content-Length: 1\r\n")}!`,
    status: 200,
    body: "!",
  },
];

/** Each with a word of the reason. */
export const invalidResponses: readonly (readonly [name: string, bytes: string])[] = [
  ["no HTTP", "hello\r\n\r\n"],
  ["HTTP/2", "HTTP/2 200\r\nContent-Length: 0\r\n\r\n"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n"],
  ["a status that begins with zero", "HTTP/1.1 020 OK\r\nContent-Length: 0\r\n\r\n"],
  ["a status above 599", "HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n"],
  ["101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"],
  ["a header without a colon", `${head("nonsense\r\n")}`],
  ["white space before the colon", `${head("Content-Length : 1\r\n")}a`],
  ["a folded header", `${head("X: 1\r\n continued\r\nContent-Length: 1\r\n")}a`],
  ["a NUL in a header", `${head("X: \0\r\nContent-Length: 1\r\n")}a`],
  ["a carriage return in a header", `${head("X: a\rb\r\nContent-Length: 1\r\n")}a`],
  ["257 headers", `${head("a: 1\r\n".repeat(257))}`],
  ["a head without end", `HTTP/1.1 200 OK\r\nx: ${"a".repeat(70_000)}`],
  ["100 interim responses", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)],
  ["two lengths", `${head("Content-Length: 1\r\nContent-Length: 2\r\n")}ab`],
  ["a negative length", `${head("Content-Length: -1\r\n")}`],
  ["a length with a sign", `${head("Content-Length: +1\r\n")}a`],
  ["a length that is no number", `${head("Content-Length: 1e3\r\n")}`],
  ["a length beyond all numbers", `${head(`Content-Length: ${"9".repeat(16)}\r\n`)}`],
  ["an unknown coding", `${head("Transfer-Encoding: gzip, chunked\r\n")}`],
  ["a coding twice", `${head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")}`],
  ["a chunk without a size", `${chunkedHead}\r\na\r\n`],
  ["a chunk with a wrong size", `${chunkedHead}xyz\r\na\r\n`],
  ["a chunk size with a sign", `${chunkedHead}-1\r\na\r\n`],
  ["a chunk size in C", `${chunkedHead}0x1\r\na\r\n`],
  ["a chunk size beyond all numbers", `${chunkedHead}${"f".repeat(14)}\r\n`],
  ["a carriage return in a chunk size", `${chunkedHead}1\rX\r\na\r\n`],
  ["a chunk that is longer than its size", `${chunkedHead}1\r\nab\r\n`],
  ["an extension without end", `${chunkedHead}1;${"x".repeat(5_000)}`],
  ["trailers without end", `${chunkedHead}0\r\n${`x: ${"y".repeat(1_000)}\r\n`.repeat(20)}`],
];
