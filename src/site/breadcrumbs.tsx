import { unmarked } from "./unmarked.ts";

/** A page above this one; without `href`, just a name. */
export interface Crumb {
  name: string;
  href?: string | undefined;
}

/** Links from the front page down to the page right above this one. */
export function Breadcrumbs({ crumbs = [] }: { crumbs?: readonly Crumb[] }) {
  return (
    <nav class="crumbs" aria-label="Where you are">
      <ol {...unmarked}>
        {[{ name: "Home", href: "/" }, ...crumbs].map(({ name, href }) => (
          <li key={href ?? name}>{href ? <a href={href}>{name}</a> : name}</li>
        ))}
      </ol>
    </nav>
  );
}
