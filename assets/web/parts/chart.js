// Charts as small SVGs: stacked bars with a grid, a legend, a title for each bar, and the same as a table for who reads it.
import { html } from "../lib/html.js";
import { say } from "../lib/words.js";

const NARROW = matchMedia("(max-width: 600px)"); // there the same letters need a smaller drawing
const WIDE_WIDTH = 640;
const NARROW_WIDTH = 330;
const HEIGHT = 150;
const LEFT = 46;
const BOTTOM = 20;

/** The least round number that is not below `value`: 1, 2, 5 × 10ⁿ. */
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return power * ([1, 2, 5, 10].find((each) => each * power >= value) ?? 10);
}

/** rows: {label, values: [one for each series], title, href?, tone?}; series: {name, tone}; write(value) → text. `hasZero`: a row of nothing has a mark. */
export function bars(rows, series, { label, write, hasZero = true }) {
  const top = roundUp(Math.max(...rows.map((row) => row.values.reduce((sum, value) => sum + value, 0)), 0) || 1);
  const width = NARROW.matches ? NARROW_WIDTH : WIDE_WIDTH;
  const step = (width - LEFT) / Math.max(rows.length, 6);
  const thickness = Math.max(2, Math.min(34, step * 0.7));
  const y = (value) => (HEIGHT - BOTTOM) * (1 - value / top) + 6;
  const often = Math.ceil(rows.length / (width / 40));
  return html`<figure class="chart">
    <svg viewBox=${`0 0 ${width} ${HEIGHT + 6}`} role="img" aria-label=${label}>
      ${[0, 0.5, 1].map((share) => html`<g key=${share} class="grid"><line x1=${LEFT} x2=${width} y1=${y(top * share)} y2=${y(top * share)} />
        <text x=${LEFT - 6} y=${y(top * share) + 4} text-anchor="end">${write(top * share)}</text></g>`)}
      ${rows.map((row, n) => bar(row, series, LEFT + n * step + (step - thickness) / 2, thickness, y, n % often === 0, hasZero))}
    </svg>
    <figcaption><ul class="legend">${series.map((each) => html`<li key=${each.name}><i class=${each.tone}></i>${each.name}</li>`)}</ul>
      <details><summary>${say("chart.table")}</summary><div class="framed" tabindex="0"><table><thead><tr><th></th>${series.map((each) => html`<th key=${each.name}>${each.name}</th>`)}</tr></thead>
        <tbody>${rows.map((row, n) => html`<tr key=${n}><th scope="row">${row.href ? html`<a href=${row.href}>${row.title}</a>` : row.title}</th>${row.values.map((value, m) => html`<td key=${m}>${write(value)}</td>`)}</tr>`)}</tbody></table></div></details></figcaption>
  </figure>`;
}

function bar(row, series, x, width, y, isNamed, hasZero) {
  let sum = 0;
  return html`<g key=${x} class="bar"><title>${row.title}</title>
    <rect class="touch" x=${x - 2} y="0" width=${width + 4} height=${HEIGHT - BOTTOM + 6} />
    ${row.values.map((value, n) => {
      const from = y(sum);
      sum += value;
      return value > 0 ? html`<rect key=${n} class=${row.tone ?? series[n].tone} x=${x} y=${y(sum)} width=${width} height=${Math.max(1, from - y(sum))} rx="1.500" />` : null;
    })}
    ${sum === 0 && hasZero ? html`<rect class="none" x=${x} y=${y(0) - 2} width=${width} height="2" />` : null}
    ${isNamed ? html`<text x=${x + width / 2} y=${HEIGHT + 2} text-anchor="middle">${row.label}</text>` : null}</g>`;
}
