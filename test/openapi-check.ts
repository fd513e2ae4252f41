import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** A response as received. */
interface ReceivedAnswer {
  method: string;
  /** With or without a query. */
  path: string;
  status: number;
  headers: Headers;
  /** Undefined if it was not decoded. */
  body?: string;
}

/** Throws when an answer is not as documented. @returns false when the document does not cover it */
export type CheckAnswer = (answer: ReceivedAnswer) => boolean;

/**
 * Checks answers against an OpenAPI document: their status, type, every header and the body must be
 * documented. Paths other than /healthz and those below /api/v1 are ignored.
 */
export function checkAgainst(document: OpenApiDocument): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(closed(document), "document");
  const compiled = new Map<string, ValidateFunction>();
  const validate = (pointer: string, value: unknown): string[] => {
    const found = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
    compiled.set(pointer, found);
    return found(value) ? [] : [`${ajv.errorsText(found.errors)}: ${JSON.stringify(value)}`];
  };
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));

  return ({ method, path, status, headers, body }) => {
    const [pathname = ""] = path.split("?");
    if (!pathname.startsWith("/api/v1/") && pathname !== "/healthz") return false;
    const template = templates.find(({ pattern }) => pattern.test(pathname))?.template;
    const faults: string[] = [];
    const at = locate(document, method, template, status);
    if (at === "preflight") return true;
    if (at === null) {
      faults.push("no such status in the document");
    } else {
      const documented = new Set(
        Object.keys(at.response.headers).map((name) => name.toLowerCase()),
      );
      for (const name of headers.keys()) {
        if (!documented.has(name) && !TRANSPORT.has(name)) faults.push(`undocumented ${name}`);
      }
      for (const [name, { required, schema }] of Object.entries(at.response.headers)) {
        const text = headers.get(name);
        if (text === null) {
          if (required) faults.push(`no ${name}`);
        } else {
          const pointer = `${at.pointer}/headers/${pointerStep(name)}/schema`;
          faults.push(...validate(pointer, schema.type === "integer" ? Number(text) : text));
        }
      }
      const content = at.response.content?.["application/json"];
      if (content && !headers.get("Content-Type")?.startsWith("application/json;")) {
        faults.push(`Content-Type: ${headers.get("Content-Type")}`);
      }
      if (method !== "HEAD" && body !== undefined) {
        if (content) {
          const pointer = `${at.pointer}/content/${pointerStep("application/json")}/schema`;
          faults.push(...validate(pointer, JSON.parse(body)));
        } else if (body !== "") {
          faults.push("a body where none is documented");
        }
      }
    }
    if (faults.length > 0) {
      const shown = `${method} ${path.slice(0, 200)} → ${status}`;
      throw new Error(`${shown} is not as documented: ${faults.join("; ").slice(0, 2_000)}`);
    }
    return true;
  };
}

/** The document with additional properties forbidden: this version has only the fields that it names. */
function closed(document: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document), (_, value) =>
    value?.properties ? { ...value, additionalProperties: false } : value,
  );
}

/** The part of OpenAPI that is used here. */
export interface OpenApiDocument {
  paths: Record<string, { get: { responses: Record<string, ResponseObject> } }>;
  components: { responses: Record<string, ResponseObject> };
}

interface ResponseObject {
  headers: Record<string, { required?: boolean; schema: { type?: string } }>;
  content?: Record<string, unknown>;
}

/** Transport headers, which no API documents. */
const TRANSPORT = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "transfer-encoding",
]);

function locate(
  document: OpenApiDocument,
  method: string,
  template: string | undefined,
  status: number,
): { response: ResponseObject; pointer: string } | "preflight" | null {
  const shared = (name: string) => {
    const response = document.components.responses[name];
    return response ? { response, pointer: `/components/responses/${name}` } : null;
  };
  const isRead = method === "GET" || method === "HEAD";
  if (status === 401 && (template === undefined || !isRead)) return shared("NoHeader");
  if (method === "OPTIONS") {
    const isAnswer = status === 204 || (template === undefined && status === 404);
    return isAnswer ? "preflight" : null;
  }
  if (template === undefined) return status === 404 ? shared("NoSuchPath") : null;
  if (!isRead) return status === 405 ? shared("MethodNotAllowed") : null;
  const response = document.paths[template]?.get.responses[status];
  return response
    ? { response, pointer: `/paths/${pointerStep(template)}/get/responses/${status}` }
    : null;
}

/** A step of a JSON pointer, escaped for a URL fragment. */
function pointerStep(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}

const checks = new Map<string, CheckAnswer>();
/** By the text of the document, since most servers have the same, and compiling its schemas takes long. */
const known = new Map<string, CheckAnswer>();
let answersChecked = 0;
const plainFetch = globalThis.fetch;

/** How many answers have been checked so far. */
export const checkedAnswers = () => answersChecked;

/**
 * From now on every answer that `fetch` gets from this server is checked against the server's own
 * document, whichever test asks.
 * @returns the check, and a function that ends it
 */
export async function checkServer(url: string): Promise<{ check: CheckAnswer; end(): void }> {
  const response = await plainFetch(`${url}/api/v1/openapi.json`);
  const text = await response.text();
  const check = known.get(text) ?? checkAgainst(JSON.parse(text) as OpenApiDocument);
  known.set(text, check);
  checks.set(url, check);
  return { check, end: () => checks.delete(url) };
}

globalThis.fetch = Object.assign(async (input: string | URL | Request, init?: RequestInit) => {
  const response = await plainFetch(input, init);
  const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input);
  const check = checks.get(origin);
  if (check) {
    const isDecoded = (init as { decompress?: boolean } | undefined)?.decompress !== false;
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    const isChecked = check({
      method: method.toUpperCase(),
      path: pathname + search,
      status: response.status,
      headers: response.headers,
      ...(isDecoded && { body: await response.clone().text() }),
    });
    if (isChecked) answersChecked++;
  }
  return response;
}, plainFetch);
