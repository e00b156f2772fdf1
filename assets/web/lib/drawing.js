// Draws the mind graph with Cytoscape: keeps places when something changes, and takes its colours from the style sheet.

const PADDING = 46;
const LETTERS = 11; // pixels on the screen, however far away the picture is
const LEAST_LETTERS = 7;
const LARGEST_LETTERS = 26; // in the picture: more would hide it
const LARGEST_OF_NAMED = 120; // the same, of the nodes that much hangs on: they are named from far away
const PIXELS_A_NAME = 45; // of the picture's width, for each that is named from far away
const LENGTH = 100; // of an edge, about
const GRAVITY = 0.6; // keeps together what hangs on nothing
const PAIRS = 5_000_000; // that the placing may look at, in all its steps: it holds up the page
const [FEWEST_STEPS, MOST_STEPS] = [20, 150];
const GOLDEN_ANGLE = 2.4;
const LARGEST_ZOOM = 1.5; // by itself

/** → {show(graph), select(id), paint(), fit(), end()}; `clicked(id)` for a node, an edge, or null for the ground; `named(id)`: a node's label, `labelled(edge)` an edge's. */
export async function drawing(element, { clicked, named, labelled }) {
  const { default: cytoscape } = await import("../vendor/cytoscape.js");
  const cy = cytoscape({ container: element, minZoom: 0.03, maxZoom: 4, style: styles(element), autounselectify: true });
  cy.on("tap", (event) => clicked(event.target === cy ? null : event.target.id()));
  cy.on("mouseover", "node, edge", () => (element.style.cursor = "pointer"));
  cy.on("mouseout", "node, edge", () => (element.style.cursor = ""));
  const letters = (largest) => Math.round(Math.min(largest, Math.max(LEAST_LETTERS, LETTERS / cy.zoom())));
  let written = ""; // how all is drawn now: to change it costs as much as to draw it anew
  const write = () => {
    const isFar = cy.zoom() * LARGEST_LETTERS < LEAST_LETTERS; // what nobody could read or tell apart is not worked out
    const [usual, named] = [letters(LARGEST_LETTERS), letters(LARGEST_OF_NAMED)];
    if (written === (written = `${usual} ${named} ${isFar}`)) return;
    const label = isFar ? "" : "data(label)";
    cy.style().selector("node").style({ label, "font-size": usual }).selector("node.named").style({ label: "data(label)", "font-size": named })
      .selector("edge").style({ label, "curve-style": isFar ? "haystack" : "bezier" }).update();
  };
  cy.on("zoom", write);
  let isHeld = false; // somebody has moved the picture: it stays as it is
  cy.on("dragpan pinchzoom scrollzoom", () => (isHeld = true));
  const shape = new ResizeObserver(() => (cy.resize(), isHeld || fit()));
  shape.observe(element);

  function show({ nodes, edges }) {
    const places = placed([...nodes.values()], [...edges.values()], (id) => cy.getElementById(id)[0]?.position(), cy.width() / Math.max(1, cy.height()));
    const wanted = new Map();
    for (const each of nodes.values()) wanted.set(each.id, { group: "nodes", data: { ...nodeData(each), label: cut(named(each.id)) }, position: places.get(each.id) });
    for (const each of edges.values()) if (nodes.has(each.source) && nodes.has(each.target)) wanted.set(each.id, { group: "edges", data: edgeData(each, labelled) });
    cy.batch(() => {
      if (places.size && !isHeld) fit([...nodes.keys()].map((id) => places.get(id) ?? cy.getElementById(id).position()));
      cy.elements().filter((each) => !wanted.has(each.id())).remove();
      cy.elements().forEach((each) => (each.data(wanted.get(each.id()).data), wanted.delete(each.id())));
      cy.add([...wanted.values()]);
      const byEdges = cy.nodes().removeClass("named").sort((a, b) => b.data("size") - a.data("size"));
      byEdges.filter("[kind != 'Scene']").slice(0, Math.round(cy.width() / PIXELS_A_NAME)).union(cy.nodes("[kind = 'User']")).addClass("named");
    });
  }

  /** All nodes in the window; their places alone are looked at: to measure letters and edges takes long. */
  function fit(places = cy.nodes().map((node) => node.position())) {
    isHeld = false;
    if (!places.length) return;
    const [x, y] = ["x", "y"].map((axis) => places.map((place) => place[axis]));
    const [left, right, top, bottom] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
    const zoom = Math.min(LARGEST_ZOOM, (cy.width() - 2 * PADDING) / Math.max(1, right - left), (cy.height() - 2 * PADDING) / Math.max(1, bottom - top));
    cy.viewport({ zoom, pan: { x: (cy.width() - zoom * (left + right)) / 2, y: (cy.height() - zoom * (top + bottom)) / 2 } });
    write();
  }

  return {
    show,
    fit: () => fit(),
    select(id) {
      cy.elements().removeClass("chosen dimmed");
      const chosen = id ? cy.getElementById(id) : cy.collection();
      if (!chosen.length) return;
      const near = chosen.isNode() ? chosen.closedNeighborhood() : chosen.union(chosen.connectedNodes());
      cy.elements().difference(near).addClass("dimmed");
      chosen.addClass("chosen");
    },
    paint: () => ((written = ""), cy.style(styles(element)), write()),
    end() {
      shape.disconnect();
      cy.destroy();
    },
  };
}

/** A place for each node: all push each other away, and edges pull. Who has one (`there(id)`) keeps it. */
export function placed(all, edges, there, shape) {
  const nodes = all.toSorted((a, b) => (b.degree ?? 0) - (a.degree ?? 0));
    const number = new Map(nodes.map(({ id }, n) => [id, n]));
  const degree = (id) => nodes[number.get(id)]?.degree || 1;
  const pairs = edges.filter(({ source, target }) => number.has(source) && number.has(target))
    .map(({ source, target }) => [number.get(source), number.get(target), Math.sqrt(Math.min(degree(source), degree(target)))]); // between two hubs there is room
  const places = nodes.map(({ id }) => there(id));
  const fresh = [...nodes.keys()].filter((n) => !places[n]);
  if (!fresh.length) return new Map();
  const friends = new Map(pairs.flatMap(([a, b]) => [[a, places[b]], [b, places[a]]]).filter(([, place]) => place));
  for (const n of fresh) {
    const far = 0.6 * LENGTH * Math.sqrt(n + 1);
    const { x = 0, y = 0 } = friends.get(n) ?? {};
    places[n] = { x: x + far * Math.cos(GOLDEN_ANGLE * n), y: y + far * Math.sin(GOLDEN_ANGLE * n) };
  }
  const steps = Math.max(FEWEST_STEPS, Math.min(MOST_STEPS, Math.round(PAIRS / (fresh.length * nodes.length))));
  for (let step = 0; step < steps; step += 1) push(places, fresh, pairs, shape, 2 * LENGTH * (1 - step / steps));
  return new Map(fresh.map((n) => [nodes[n].id, places[n]]));
}

/** One step: moves the fresh ones, none further than `most`. */
function push(places, fresh, pairs, shape, most) {
  const x = Float64Array.from(places, (place) => place.x);
  const y = Float64Array.from(places, (place) => place.y);
  const [dx, dy] = [new Float64Array(x.length), new Float64Array(x.length)];
  for (const n of fresh) {
    for (let other = 0; other < x.length; other += 1) {
      const [left, down] = [x[n] - x[other], y[n] - y[other]];
      const near = LENGTH ** 2 / Math.max(1, left * left + down * down);
      dx[n] += near * left;
      dy[n] += near * down;
    }
    dx[n] -= (GRAVITY * x[n]) / shape;
    dy[n] -= GRAVITY * y[n] * shape;
  }
  for (const [a, b, length] of pairs) {
    const [left, down] = [x[a] - x[b], y[a] - y[b]];
    const pull = Math.hypot(left, down) / (LENGTH * length);
    dx[a] -= pull * left;
    dy[a] -= pull * down;
    dx[b] += pull * left;
    dy[b] += pull * down;
  }
  for (const n of fresh) {
    const share = Math.min(1, most / Math.max(1, Math.hypot(dx[n], dy[n])));
    places[n] = { x: x[n] + share * dx[n], y: y[n] + share * dy[n] };
  }
}

const cut = (text, most = 26) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function nodeData(each) {
  return { id: each.id, kind: each.kind, size: 14 + 5 * Math.sqrt(Math.min(each.degree ?? 1, 60)) };
}

function edgeData(each, labelled) {
  return { id: each.id, source: each.source, target: each.target, predicate: each.predicate, label: labelled(each), isLess: each.label === "less", width: 1 + 3 * (each.strength ?? 0.5) };
}

function styles(element) {
  const of = getComputedStyle(element);
  const colour = (name) => of.getPropertyValue(name).trim();
  const predicates = { PREFERS: "--good", DISLIKES: "--bad", CARES_ABOUT: "--wait", RELATES_TO: "--accent", CAUSED_BY: "--rote", MENTIONED: "--line-strong" };
  return [
    { selector: "node", style: { width: "data(size)", height: "data(size)", "background-color": colour("--accent"), color: colour("--text"), "font-size": LETTERS, "font-family": of.fontFamily,
      "text-wrap": "wrap", "text-max-width": 110, "text-valign": "bottom", "text-margin-y": 4, "text-outline-width": 2, "text-outline-color": colour("--ground"), "min-zoomed-font-size": LEAST_LETTERS } },
    { selector: "node[kind = 'User']", style: { "background-color": colour("--wait"), "font-weight": "bold" } },
    { selector: "node[kind = 'Agent']", style: { "background-color": colour("--rote") } },
    { selector: "node[kind = 'Scene']", style: { shape: "round-rectangle", "background-color": colour("--line-strong") } },
    { selector: "edge", style: { width: "data(width)", "line-color": colour("--line-strong"), "target-arrow-color": colour("--line-strong"), "target-arrow-shape": "triangle", "arrow-scale": 0.8, opacity: 0.8,
      "font-size": 9, color: colour("--dim"), "text-rotation": "autorotate", "text-outline-width": 2, "text-outline-color": colour("--ground"), "min-zoomed-font-size": LEAST_LETTERS } },
    ...Object.entries(predicates).map(([name, variable]) => ({ selector: `edge[predicate = '${name}']`, style: { "line-color": colour(variable), "target-arrow-color": colour(variable) } })),
    { selector: "edge[?isLess]", style: { "line-style": "dashed", opacity: 0.6 } },
    { selector: ".dimmed", style: { opacity: 0.18 } },
    { selector: "node.chosen", style: { "border-width": 3, "border-color": colour("--text") } },
    { selector: "edge.chosen", style: { opacity: 1, width: 5 } },
  ];
}
