/** Code, with a copy button where a script may use the clipboard. */
export function Code({ id, label, code }: { id: string; label: string; code: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <span role="status" class="outcome" />
        <button type="button" class="quiet" data-copy={id} hidden>
          Copy<span class="unseen"> {label}</span>
        </button>
      </figcaption>
      <pre>
        <code id={id}>{code}</code>
      </pre>
    </figure>
  );
}
