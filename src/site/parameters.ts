import * as v from "valibot";
import { pageNumber, searchText } from "../http/parameters.ts";

type Parameter<Value> = v.GenericSchema<string | undefined, Value>;

const absent = <const Value>(value: Value): Parameter<Value> =>
  v.pipe(
    v.optional(v.string()),
    v.transform(() => value),
  );

/** A text of at most 200 characters; "" when it is absent, or when a form has sent it empty. */
export const optionalText: Parameter<string> = v.lazy((text) =>
  text === undefined || String(text).trim() === "" ? absent("") : searchText,
);

/** A page number; 1 when it is absent, or when a form has sent it empty. */
export const optionalPage: Parameter<number> = v.lazy((text) =>
  text === "" ? absent(1) : pageNumber,
);

/** Businesses on a page. */
export const PAGE_SIZE = 20;
