import * as v from "valibot";
import { errorResponse, json, openHeaders, successResponses } from "./responses.ts";

/** The body of /healthz. */
export const Health = v.strictObject({
  status: v.pipe(v.literal("ok"), v.description("The directory can be read.")),
  admission: v.strictObject({
    decidedBy: v.pipe(
      v.picklist(["redis", "server"]),
      v.description("Who counts requests: `server` while Redis is down or slow."),
    ),
    outages: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description("How often the server has taken over since the responding process started."),
    ),
  }),
});

/** The paths about the service itself: they need no key, cost nothing, and have no rate limit. */
export function servicePaths(openAccess: boolean) {
  const open = openAccess ? openHeaders : [];
  const anyDocument = { schema: { type: "object", required: ["openapi", "info", "paths"] } };
  const healthy = { status: "ok", admission: { decidedBy: "redis", outages: 0 } };
  return {
    "/api/v1/openapi.json": free({
      operationId: "getOpenApi",
      summary: "Get this document",
      description: "The API as OpenAPI 3.1, for generating clients.",
      responses: {
        ...successResponses("This document.", { "application/json": anyDocument }, open),
        500: errorResponse(["Internal"], open),
      },
    }),
    "/healthz": free({
      operationId: "getHealth",
      summary: "Get the service's health",
      description: "For health checks: 200 while the directory can be read.",
      responses: {
        ...successResponses(
          "The directory can be read.",
          json(["Health"], { Health: { value: healthy } }),
        ),
        500: errorResponse(["Internal"]),
        503: errorResponse(["Unavailable"]),
      },
    }),
  };
}

const free = <Described>(described: Described) => ({
  get: { tags: ["Service"], security: [], parameters: [], ...described },
});
