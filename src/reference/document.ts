import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import * as v from "valibot";
import { finished, ok } from "../http/answer.ts";
import type { Handler } from "../http/handler.ts";
import { type Parameters, slugInPath } from "../http/parameters.ts";
import { errorCases } from "./errors.ts";
import { introduction } from "./introduction.ts";
import { type Operation, operations, schemas } from "./operations.ts";
import { responsesOf, sharedResponses } from "./responses.ts";
import { Health, servicePaths } from "./service.ts";

/** The server's settings that the reference depends on. */
export interface Deployment {
  baseUrl: string;
  openAccess: boolean;
}

/** GET /api/v1/openapi.json. */
export function openApi(deployment: Deployment): Handler {
  const answer = finished(ok(openApiDocument(deployment)));
  return () => answer;
}

/**
 * The OpenAPI 3.1 document, generated from the same schemas that parse requests and type answers.
 * With open access off, it leaves out the open variant.
 */
export function openApiDocument({ baseUrl, openAccess }: Deployment) {
  const served = operationsOf(openAccess);
  const paths: Record<string, { get: ReturnType<typeof describe> }> = {
    ...Object.fromEntries(
      served.map((operation) => [operation.path, { get: describe(operation) }]),
    ),
    ...servicePaths(openAccess),
  };
  return {
    openapi: "3.1.1",
    info: {
      title: "Highstreet API",
      version: "1",
      summary: "A directory of UK businesses",
      description: introduction(openAccess),
      // Without "(the software)", readers would take it for the licence of the data, whose terms only the
      // operator knows.
      license: { name: "MIT (the software)", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(Object.values(paths).flatMap(({ get }) => get.tags))].map((name) => ({
      name,
    })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: `A free API key: apply at ${baseUrl}/developers.`,
        },
      },
      schemas: toJsonSchemaDefs(definitionsOf(openAccess), {
        ...conversion,
        overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
      }),
      responses: sharedResponses(openAccess),
    },
  };
}

/** The operations that this server offers. */
export function operationsOf(openAccess: boolean): Operation[] {
  return operations.map(({ open, ...keyedOnly }) => {
    if (!open || !openAccess) return keyedOnly;
    const description = [keyedOnly.description, open.note].filter(Boolean).join(" ");
    return { ...keyedOnly, description, open };
  });
}

const { OpenListItem, OpenPage, OpenBusiness, ...otherSchemas } = schemas;

function definitionsOf(openAccess: boolean): Record<string, v.GenericSchema> {
  return {
    ...(openAccess && { OpenListItem, OpenPage, OpenBusiness }),
    ...otherSchemas,
    Health,
    ...Object.fromEntries(
      Object.entries(errorCases).map(([name, { body }]) => [`${name}Error`, body]),
    ),
  };
}

// Custom checks, such as of lengths in code points, cannot be converted. Where JSON Schema has a keyword for
// one, it is in the schema's metadata.
const conversion: ConversionConfig = {
  target: "draft-2020-12",
  ignoreActions: ["check"],
  overrideSchema({ valibotSchema, jsonSchema }) {
    // A literal gets a type as well: many client generators look only at the type, and take a schema without
    // one to allow any value.
    if (valibotSchema.type === "literal") return { type: "string", ...jsonSchema };
    // Allows additional fields: shapes may gain some, and a client that validates responses against an older
    // document must still accept them.
    const { additionalProperties, ...open } = jsonSchema;
    return additionalProperties === false ? open : null;
  },
};

function describe(operation: Operation) {
  const { id, tag, summary, description, open } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: open ? [{}, { apiKey: [] }] : [{ apiKey: [] }],
    parameters: parametersOf(operation),
    responses: responsesOf(operation),
  };
}

export function parametersOf({ path, open, keyed }: Operation) {
  return [
    ...(path.includes("{slug}") ? [parameter("slug", slugInPath, "path")] : []),
    ...queryParameters(open?.parameters ?? {}, keyed.parameters, open !== undefined),
  ];
}

/** The parameters of both variants; one that only one variant reads says so. */
function queryParameters(open: Parameters, keyed: Parameters, isShared: boolean) {
  return Object.entries({ ...open, ...keyed }).map(([name, schema]) => {
    const only = name in open ? " Without a key only." : " With a key only.";
    const isCommon = !isShared || (name in open && name in keyed);
    return parameter(name, schema, "query", isCommon ? "" : only);
  });
}

function parameter(
  name: string,
  schema: v.GenericSchema<never, unknown> | Parameters[string],
  place: "query" | "path",
  note = "",
) {
  // The parsed value, not its text: an integer, not a string of digits.
  const converted = toJsonSchema(schema, { ...conversion, typeMode: "output" });
  const { $schema: _, description, examples, default: __, ...keywords } = converted;
  const absent = v.safeParse(schema, undefined);
  const standard = absent.success ? absent.output : undefined;
  return {
    name,
    in: place,
    required: !absent.success,
    description: `${description}${note}`,
    schema: { ...keywords, ...(standard !== undefined && { default: standard }) },
    ...(examples && { example: examples[0] }),
  };
}
