import type { Admission } from "../access/admission.ts";
import type { ApiKey } from "../access/keys.ts";
import { usageOf } from "../access/usage-report.ts";
import { type Answer, ok, withHeaders } from "../http/answer.ts";

/** GET /api/v1/usage: the limits of the key and what it has used. Free of charge. */
export function usage(admission: Admission): (key: ApiKey) => Promise<Answer> {
  return async function usage(key) {
    const report = usageOf(key, await admission.usage(key));
    return withHeaders(ok({ data: report }), { "Cache-Control": "no-store" });
  };
}
