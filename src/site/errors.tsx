import type { Answer } from "../http/answer.ts";
import type { Middleware } from "../http/handler.ts";
import { page, SearchBox } from "./page.tsx";

/** Outermost on pages: turns errors from inside, which are JSON, into pages. */
export function errorPages(): Middleware {
  return (next) =>
    async function errorPages(request, context) {
      const answer = await next(request, context);
      const isError = answer.headers["Content-Type"]?.startsWith("application/json");
      const typed = new URLSearchParams(context.query).get("q") ?? "";
      return isError ? errorPage(answer, typed) : answer;
    };
}

/**
 * An error of the API as a page, with its status and its own headers.
 * @param typed what was searched for, which stands in the search box again
 */
export function errorPage({ status, headers, body }: Answer, typed = ""): Answer {
  const said = JSON.parse(String(body ?? "{}")) as { message?: string };
  const { title, advice, before = "", isPassing } = texts[status] ?? unexpected;
  const message = advice ?? before + (said.message ?? "");
  const answer = page(
    { title, hidesSearch: true },
    <div class="narrow">
      <h1>{title}</h1>
      <p>{message}</p>
      {isPassing && (
        <p>
          <a class="button" href={SAME_ADDRESS}>
            Try this page again
          </a>
        </p>
      )}
      <SearchBox isLarge typed={typed} />
      <p>
        <a href="/">To the front page</a>
      </p>
    </div>,
    status,
  );
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

/** A link to this page itself: it needs no script, and unlike a reload it sends no form again. */
export const SAME_ADDRESS = "";

interface ErrorText {
  title: string;
  /** In place of what the API says. */
  advice?: string;
  /** Begins a sentence of the API that would begin with the name of a parameter. */
  before?: string;
  /** Another try may help. */
  isPassing?: boolean;
}

const unexpected: ErrorText = { title: "Something went wrong", isPassing: true };

const texts: Record<number, ErrorText> = {
  400: { title: "This address does not work", before: "In the address, " },
  404: {
    title: "There is nothing here",
    advice: "The page may have moved, or the business may no longer be listed. Try a search.",
  },
  405: { title: "That cannot be done here" },
  429: { title: "One moment, please", isPassing: true },
  503: { title: "Back in a moment", isPassing: true },
};
