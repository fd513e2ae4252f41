import type { Answer } from "../http/answer.ts";
import type { Middleware } from "../http/handler.ts";
import { page, SearchBox } from "./page.tsx";

/** Outermost on pages: turns the JSON errors from inside into pages. */
export function errorPages(): Middleware {
  return (next) =>
    async function errorPages(request, context) {
      const answer = await next(request, context);
      const isError = answer.headers["Content-Type"]?.startsWith("application/json");
      return isError ? errorPage(answer, context.query) : answer;
    };
}

/**
 * An error of the API as a page, with its status and its own headers.
 * @param query that of the request
 */
export function errorPage({ status, headers, body }: Answer, query = ""): Answer {
  const asked = new URLSearchParams(query);
  const isOfList = asked.has("page");
  asked.delete("page");
  const { title, advice, isPassing } = texts[status] ?? unexpected;
  const answer = page(
    { title, hidesSearch: true },
    <div class="narrow">
      <h1>{title}</h1>
      <p>{advice ?? messageIn(String(body ?? "{}"))}</p>
      {isPassing && (
        <p>
          <a class="button" href={SAME_ADDRESS}>
            Try this page again
          </a>
        </p>
      )}
      {isOfList && !isPassing && (
        <p>
          <a class="button" href={`?${asked}`}>
            Go to the first page of this list
          </a>
        </p>
      )}
      <SearchBox isLarge typed={asked.get("q") ?? ""} />
      <p>
        <a href="/">Go to the home page</a>
      </p>
    </div>,
    status,
  );
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

/** The message of the API. One about a parameter begins with its name, which might be read as a word of the sentence. */
function messageIn(body: string): string {
  const { message = "", parameter } = JSON.parse(body) as { message?: string; parameter?: string };
  return parameter ? `In the address, “${parameter}”${message.slice(parameter.length)}` : message;
}

/** A link to this page itself: it needs no script and, unlike a reload, does not resubmit a form. */
const SAME_ADDRESS = "";

interface ErrorText {
  title: string;
  /** Replaces the message of the API. */
  advice?: string;
  /** Trying again may help. */
  isPassing?: boolean;
}

const unexpected: ErrorText = { title: "Something went wrong", isPassing: true };

const texts: Record<number, ErrorText> = {
  400: { title: "This address does not work" },
  404: {
    title: "Page not found",
    advice: "The page may have moved, or the business may no longer be listed. Try a search.",
  },
  405: {
    title: "That cannot be done here",
    advice:
      "Nothing was changed: this page cannot take what was sent to it. You can still open it.",
    isPassing: true,
  },
  429: { title: "One moment, please", isPassing: true },
  503: { title: "Back in a moment", isPassing: true },
};
