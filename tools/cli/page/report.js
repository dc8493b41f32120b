"use strict";
/* Draws the report from the JSON in #data. One function a tab; each is called when its tab is first opened. */
const data = JSON.parse(document.getElementById("data").textContent);
const svgNamespace = "http://www.w3.org/2000/svg";

/* ---- small helpers ---- */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  node.append(...children);
  return node;
}
function shape(name, attributes = {}, ...children) {
  const node = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
function scaled(value, units, step) {
  let unit = 0;
  while (value >= step && unit < units.length - 1) { value /= step; unit++; }
  return `${unit || value % 1 ? value.toPrecision(3) : value} ${units[unit]}`.trim();
}
const bytesText = (bytes) => scaled(bytes, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
const countText = (count) => scaled(count, ["", "k", "M", "G", "T", "P"], 1000);
const msText = (seconds) => (seconds >= 10 ? `${seconds.toFixed(2)} s` : `${(seconds * 1e3).toFixed(seconds < 0.1 ? 3 : 1)} ms`);
const shortPlace = (place) => place.split("/").slice(-2).join("/");
const rateText = (amount, seconds, unit) => (amount > 0 && seconds > 0 ? `${countText(amount / seconds)}${unit}` : "");
const kinds = [...new Set(data.steps.map((step) => step.kind))];
const lightness = matchMedia("(prefers-color-scheme: dark)").matches ? 45 : 66, places = new WeakMap();
function colorOf(text, all) {
  if (!places.has(all)) places.set(all, new Map(all.map((name, i) => [name, i])));
  return `hsl(${Math.round(((places.get(all).get(text) || 0) * 360) / Math.max(1, all.length) + 210) % 360} 55% ${lightness}%)`;
}
const kindColor = (kind) => colorOf(kind, kinds);
const stepTitle = (step) => [step.label, step.layer && `layer ${step.layer}`, step.place,
  step.seconds && `${msText(step.seconds)}${data.command ? "" : " a run"}, ${step.calls.toFixed(0)} calls`, step.flops && `${countText(step.flops)}FLOP`,
  `${bytesText(step.bytes)} read and written`].filter(Boolean).join("\n");
const tip = document.getElementById("tip");
function showTip(text, x, y) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  tip.style.left = `${Math.min(x + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(y + 14, innerHeight - tip.offsetHeight - 8)}px`;
}
function legend(names, color) {
  return element("div", { class: "legend" }, ...names.map((name) => element("span", {}, element("i", { style: `background:${color(name)}` }), name || "-")));
}
/* A table whose columns sort: [title, value of a row, text of a row]. Of many rows the first; a button shows the others. */
const rowsMost = 200;
function table(columns, rows, sorted = 0) {
  const body = element("tbody"), foot = element("tfoot");
  let column = sorted, down = true, most = rowsMost;
  const fill = () => {
    const value = columns[column][1];
    rows.sort((a, b) => {
      const x = value(a), y = value(b);
      return (typeof x === "string" ? x.localeCompare(y) : x - y) * (down ? -1 : 1);
    });
    foot.replaceChildren(...(rows.length > most ? [element("tr", {}, element("td", { colspan: columns.length }, element("button", { onclick: () => { most = Infinity; fill(); } }, `show all ${rows.length} rows`)))] : []));
    body.replaceChildren(...rows.slice(0, most).map((row) => element("tr", {}, ...columns.map(([, get, text]) => {
      const cell = text ? text(row) : get(row);
      return cell instanceof Node && cell.nodeName === "TD" ? cell : element("td", {}, cell);
    }))));
  };
  const heads = columns.map(([title], i) => element("th", { scope: "col", "aria-sort": "none" }, element("button", {
    onclick: () => { down = column === i ? !down : true; column = i; mark(); fill(); } }, title)));
  const mark = () => heads.forEach((head, i) => head.setAttribute("aria-sort", i !== column ? "none" : down ? "descending" : "ascending"));
  mark();
  fill();
  return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body, foot);
}
/* The least time of a step on this machine, of one call. */
function limitOf(step) {
  return data.machine ? Math.max(step.flops / data.machine.flops, step.bytes / data.machine.bandwidth) : 0;
}
const called = data.steps.filter((step) => step.calls > 0);
const whole = called.reduce((sum, step) => sum + step.seconds, 0);
function grouped(steps, nameOf) {
  const groups = new Map();
  for (const step of steps) {
    const name = nameOf(step) || "-";
    const group = groups.get(name) || { name, seconds: 0, flops: 0, bytes: 0, calls: 0, limit: 0 };
    group.seconds += step.seconds;
    group.flops += step.flops * step.calls;
    group.bytes += step.bytes * step.calls;
    group.limit += limitOf(step) * step.calls;
    group.calls += step.calls;
    groups.set(name, group);
  }
  return [...groups.values()];
}
const ways = { step: (step) => step.label, kind: (step) => step.kind, layer: (step) => step.layer, line: (step) => step.place };
function groupTable(groups, name) {
  const columns = [
    ["ms", (g) => g.seconds, (g) => (g.seconds * 1e3).toFixed(3)],
    ["%", (g) => g.seconds, (g) => ((100 * g.seconds) / whole).toFixed(1)],
    ["calls", (g) => g.calls, (g) => g.calls.toFixed(0)],
    ["FLOP/s", (g) => g.flops / (g.seconds || 1), (g) => rateText(g.flops, g.seconds, "")],
    ["B/s", (g) => g.bytes / (g.seconds || 1), (g) => rateText(g.bytes, g.seconds, "")],
    ["of limit", (g) => g.limit / (g.seconds || 1), (g) => (g.limit ? `${((100 * g.limit) / g.seconds).toFixed(0)} %` : "")],
    [name, (g) => g.name],
  ];
  return table(columns, groups);
}

/* ---- overview ---- */
function card(title, value) { return element("div", { class: "card" }, element("b", {}, value), element("span", {}, title)); }
function listOr(rows, columns, nothing) { return rows.length ? table(columns, rows) : element("p", {}, nothing); }
function cards() {
  const memory = data.memory, seconds = data.seconds;
  if (data.command) return [card("the command", msText(seconds.all)), card("compiling", msText(seconds.compile)), card("programs ran", msText(seconds.execute)), card("programs", String(data.programs.length)),
    card("runs", String(data.programs.reduce((sum, p) => sum + p.runs, 0))), card("compiled again", String(data.recompiles.length)), card("ops in eager mode", String(data.fallbacks.length))];
  const before = [card("parameters", `${countText(data.parameters)} (${bytesText(data.parameter_bytes)})`), card("ops before fusion", String(data.before.length))];
  if (data.target) return before;
  return [card(`a run, median of ${data.runs}`, msText(seconds.execute)), card("compiling", msText(seconds.compile)), card("loading", msText(seconds.load)),
    card("arithmetic of matmuls", `${countText(data.flops)}FLOP`), card("reached", rateText(data.flops, seconds.execute, "FLOP/s") || "-"), ...before,
    card("working memory", bytesText(memory.arena)), card("steps after fusion", String(called.length)), card("threads", String(data.threads))];
}
/* The element type that a step computes in: the first in its label. */
const typeOf = (step) => (step.label.match(/(?:^|[^a-z]|\dx)(f8E\w+|bf16|f16|f32|f64|c64|c128|u?i\d+|index)(?![\w])/) || [, "-"])[1];
function precision(root) {
  root.append(element("h2", {}, "Precision"), element("p", {}, data.command ? "By the element type that each step computes in." : `Matmuls and convolutions: ${data.precision === "bf16" ? "operands are rounded to bf16, sums are f32" : "in the program's own types"}. By the element type that each step computes in:`),
    groupTable(grouped(called, typeOf), "element type"));
}
function left(root) {
  const host = data.steps.filter((step) => step.host), fallbacks = data.fallbacks || [];
  root.append(element("h2", {}, "What was not compiled"));
  if (fallbacks.length) root.append(table([["op", (f) => f.op], ["line", (f) => f.line], ["why PyTorch ran it", (f) => f.why]], fallbacks));
  if (host.length) root.append(groupTable(grouped(host, ways.step), "step"));
  if (!host.length && !fallbacks.length) root.append(element("p", {}, "Nothing: every op runs in compiled code."));
}
function recompiles(root) {
  root.append(element("h2", {}, "Recompiles"));
  if (data.command) root.append(listOr(data.recompiles, [["program", (r) => r.program], ["line", (r) => shortPlace(r.place)], ["was", (r) => r.was], ["compiled again for", (r) => r.is]], "None: no program was compiled again for other sizes."));
  else if (data.open.length) root.append(element("p", {}, "Sizes that are open: each new one is compiled when it is first met."), table([["input", (o) => o.input], ["sizes", (o) => o.sizes]], data.open));
  else root.append(element("p", {}, "None: every size is fixed, so the program is compiled once."));
}
function overview(root) {
  root.append(element("div", { class: "cards" }, ...cards()));
  if (data.command) root.append(element("h2", {}, "Programs"), listOr(data.programs, [["ms", (p) => p.seconds, (p) => (p.seconds * 1e3).toFixed(3)], ["runs", (p) => p.runs], ["compiled, ms", (p) => p.compile_seconds, (p) => (p.compile_seconds * 1e3).toFixed(1)],
    ["steps", (p) => p.steps], ["device", (p) => p.device], ["program", (p) => `${p.name} ${p.place}`]], "None was compiled."));
  if (!data.target) { left(root); recompiles(root); precision(root); }
  if (!called.length) return;
  root.append(element("h2", {}, "Time by kind of step"), groupTable(grouped(called, ways.kind), "kind"));
  const layers = grouped(called, ways.layer);
  if (layers.length > 1) root.append(element("h2", {}, "Time by layer"), groupTable(layers.sort((a, b) => b.seconds - a.seconds).slice(0, 15), "layer"));
  root.append(element("h2", {}, "Compiling"));
  const sums = new Map();
  for (const [name, , seconds] of data.spans) if (!["load", "compile", "run"].includes(name)) sums.set(name, (sums.get(name) || 0) + seconds);
  const phases = [...sums], most = Math.max(...sums.values(), 1e-9);
  root.append(listOr(phases, [["ms", (p) => p[1], (p) => (p[1] * 1e3).toFixed(3)],
    ["phase", (p) => p[0], (p) => element("td", {}, element("span", { class: "bar", style: `width:${(200 * p[1]) / most}px` }), ` ${p[0]}`)]], "Found in the cache."));
}

/* ---- a machine that is not here ---- */
function targetTab(root) {
  const target = data.target, memory = target.memory, all = memory.arguments + memory.outputs - memory.in_place + memory.temp + memory.code;
  root.append(element("p", {}, `As compiled for ${target.target} (${target.device}, ${target.devices === 1 ? "1 device" : `${target.devices} devices`}, of which the program uses ${target.used}).`),
    element("div", { class: "cards" }, card("arithmetic", `${countText(target.flops)}FLOP`), card("read and written", bytesText(target.bytes_accessed)), card("compiled in", msText(target.seconds)),
      card("memory of a device", bytesText(all)), ...(target.chip_memory ? [card(target.fits ? "fits into" : "DOES NOT FIT into", bytesText(target.chip_memory))] : [])));
  const parts = [["arguments", memory.arguments], ["outputs", memory.outputs], ["of them in place", -memory.in_place], ["temporaries", memory.temp], ["code", memory.code]].filter(([, bytes]) => bytes);
  const most = Math.max(...parts.map(([, bytes]) => Math.abs(bytes)), 1);
  root.append(element("h2", {}, "Memory"), table([["bytes", (p) => p[1], (p) => (p[1] < 0 ? `−${bytesText(-p[1])}` : bytesText(p[1]))],
    ["what", (p) => p[0], (p) => element("td", {}, element("span", { class: "bar", style: `width:${(260 * Math.abs(p[1])) / most}px` }), ` ${p[0]}`)]], parts),
    element("h2", {}, "Largest buffers"), listOr(target.largest, [["bytes", (b) => b.bytes, (b) => bytesText(b.bytes)], ["buffer", (b) => b.what]], "Not told by the target's compiler."),
    element("h2", {}, "Collectives"), listOr(target.collectives, [["count", (c) => c.count], ["bytes", (c) => c.bytes, (c) => bytesText(c.bytes)], ["kind", (c) => c.kind]], "None."));
  for (const [title, at] of [["Ops by kind", 0], ["Ops by line", 2]]) {
    const sums = new Map();
    for (const op of target.ops) { const name = op[at] || "-", sum = sums.get(name) || [name, 0, 0]; sum[1]++; sum[2] += op[1]; sums.set(name, sum); }
    root.append(element("h2", {}, title), listOr([...sums.values()], [["bytes of results", (s) => s[2], (s) => bytesText(s[2])], ["ops", (s) => s[1]], [at ? "line" : "op", (s) => s[0]]], "Not told by the target's compiler."));
  }
}

/* ---- training ---- */
/* A curve of [x, y], with axes. */
function curve(points, name, text) {
  const width = 1000, height = 280, xs = points.map((p) => p[0]), ys = points.map((p) => p[1]).filter(Number.isFinite);
  const left = Math.min(...xs), right = Math.max(...xs, left + 1), low = Math.min(...ys), high = Math.max(...ys, low + 1e-12);
  const x = (v) => 80 + ((width - 100) * (v - left)) / (right - left), y = (v) => height - 30 - ((height - 50) * (v - low)) / (high - low);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${name}: from ${text(ys[0])} to ${text(ys.at(-1))}` });
  for (let i = 0; i <= 4; i++) {
    const value = low + ((high - low) * i) / 4, step = left + ((right - left) * i) / 4;
    svg.append(shape("line", { class: "axis", x1: 80, x2: width - 20, y1: y(value), y2: y(value) }), shape("text", { x: 4, y: y(value) + 4, class: "faint" }, text(value)),
      shape("text", { x: x(step) - 10, y: height - 8, class: "faint" }, String(Math.round(step))));
  }
  svg.append(shape("polyline", { fill: "none", stroke: "var(--accent)", "stroke-width": 1.5, points: points.filter((p) => Number.isFinite(p[1])).map((p) => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" ") }));
  return element("div", { class: "frame" }, svg);
}
function trainingTab(root) {
  const rows = data.metrics, losses = rows.map((r) => r[1]), best = losses.reduce((at, value, i) => (value < losses[at] ? i : at), 0);
  const times = rows.map((r) => r[2]).sort((a, b) => a - b);
  root.append(element("div", { class: "cards" }, card("steps", String(rows.at(-1)[0])), card("loss at the end", losses.at(-1).toPrecision(5)), card(`least, at step ${rows[best][0]}`, losses[best].toPrecision(5)), card("a step, median", msText(times[times.length >> 1]))),
    element("h2", {}, "Loss by step"), curve(rows.map((r) => [r[0], r[1]]), "Loss", (v) => v.toPrecision(4)), element("h2", {}, "Time of a step"), curve(rows.map((r) => [r[0], r[2]]), "Time of a step", msText));
}

/* ---- timeline ---- */
function timeline(root) {
  const end = Math.max(...data.events.map(([, start, seconds]) => start + seconds), 1e-9);
  let from = 0, to = end, active = -1;
  const canvas = element("canvas", { tabindex: "0", height: "260", "aria-label": "Timeline of steps; arrow keys move, plus and minus zoom, comma and full stop go from step to step" });
  root.append(element("p", {}, `${data.command ? "All processes from their start; of many steps the first" : "One run, the one of median time"}. Drag to move, wheel to zoom; or arrow keys, + and −; , and . go from step to step.`),
    element("div", { class: "frame" }, canvas), legend(kinds, kindColor), element("p", { id: "event-text", "aria-live": "polite" }));
  const rows = 4;
  const draw = () => {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = 260;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const g = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    const scale = width / (to - from), text = style.getPropertyValue("--text");
    for (let i = 0; i <= 8; i++) {
      g.fillStyle = style.getPropertyValue("--line");
      g.fillRect((width * i) / 8, 0, 1, height);
      g.fillStyle = style.getPropertyValue("--faint");
      g.fillText(`${((from + ((to - from) * i) / 8) * 1e3).toFixed(3)} ms`, (width * i) / 8 + 4, height - 6);
    }
    data.events.forEach(([number, start, seconds], i) => {
      if (start + seconds < from || start > to) return;
      const step = data.steps[number], x = (start - from) * scale, w = Math.max(seconds * scale, 0.5), y = 14 + Math.min(step.depth, rows - 1) * 54;
      g.fillStyle = kindColor(step.kind);
      g.fillRect(x, y, w, 48);
      if (i === active) { g.strokeStyle = style.getPropertyValue("--mark"); g.lineWidth = 3; g.strokeRect(x, y, w, 48); }
      if (w > 46) { g.save(); g.beginPath(); g.rect(x, y, w, 48); g.clip(); g.fillStyle = text; g.fillText(step.kind, x + 4, y + 18); g.fillText(step.layer || step.label, x + 4, y + 36); g.restore(); }
    });
  };
  const zoom = (factor, at) => { const span = Math.min(end, Math.max((to - from) * factor, end * 1e-6)); from = Math.max(0, Math.min(at - ((at - from) / (to - from)) * span, end - span)); to = from + span; draw(); };
  const move = (seconds) => { const span = to - from; from = Math.max(0, Math.min(from + seconds, end - span)); to = from + span; draw(); };
  const timeAt = (x) => from + ((x - canvas.getBoundingClientRect().left) / canvas.clientWidth) * (to - from);
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.clientX)); }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => { drag = event.clientX; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (drag !== null) { move(((drag - event.clientX) / canvas.clientWidth) * (to - from)); drag = event.clientX; }
    const time = timeAt(event.clientX), slack = ((to - from) / canvas.clientWidth) * 2;
    const hit = data.events.findLast(([, start, seconds]) => time >= start - slack && time <= start + seconds + slack);
    showTip(hit ? stepTitle(data.steps[hit[0]]) : "", event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", () => showTip(""));
  canvas.addEventListener("keydown", (event) => {
    const middle = (from + to) / 2, keys = { ArrowLeft: () => move((from - to) / 8), ArrowRight: () => move((to - from) / 8), "+": () => zoom(0.8, middle), "-": () => zoom(1.25, middle),
      ",": () => choose(active - 1), ".": () => choose(active + 1) };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const choose = (index) => {
    active = Math.max(0, Math.min(data.events.length - 1, index));
    const [number, start, seconds] = data.events[active] || [];
    if (number === undefined) return;
    if (start < from || start + seconds > to) move(start - (from + to) / 2);
    document.getElementById("event-text").textContent = `${msText(seconds)} at ${msText(start)}: ${stepTitle(data.steps[number])}`;
    draw();
  };
  addEventListener("resize", draw);
  draw();
}

/* ---- graph ---- */
/* Nodes {title, color, layer, tip} and edges between them, of the steps that run at each call. */
function graphAfter() {
  const nodes = [], edges = [], writer = new Map();
  data.steps.forEach((step, number) => {
    if (step.once) return;
    const id = nodes.length;
    nodes.push({ id, title: `${step.kind}${step.seconds ? `, ${msText(step.seconds)}` : ""}`, detail: step.layer || (step.seconds ? msText(step.seconds) : ""), layer: step.layer, color: kindColor(step.kind), tip: stepTitle(step), weight: step.seconds, number });
    for (const [buffer] of step.reads) if (writer.has(buffer)) edges.push([writer.get(buffer), id]);
    for (const [buffer] of step.writes) writer.set(buffer, id);
  });
  return { nodes, edges };
}
function graphBefore() {
  const names = [...new Set(data.before.map((op) => op.name))];
  const nodes = data.before.map((op, id) => ({ id, title: op.name.replace(/^(aten|stablehlo|chlo)\./, "").replace(/\.default$/, ""), detail: op.type.replace(/^tensor</, "").replace(/>$/, ""), layer: op.layer,
    color: colorOf(op.name, names), tip: [op.name, op.type, op.layer && `layer ${op.layer}`, op.place, op.flops && `${countText(op.flops)}FLOP`, bytesText(op.bytes)].filter(Boolean).join("\n"), weight: op.flops }));
  const edges = data.before.flatMap((op, id) => op.in.map((from) => [from, id]));
  return { nodes, edges };
}
/* Joins the nodes of a layer below `open` layers into one. */
function collapse(full, isOpen) {
  const groups = new Map(), of = [];
  const closedOf = new Map([["", null]]); /* by layer: the outermost that is closed */
  for (const node of full.nodes) {
    const layer = node.layer || "";
    let closed = closedOf.get(layer);
    if (closed === undefined) {
      const parts = layer.split(".");
      closed = null;
      for (let i = 0; i < parts.length && closed === null; i++) { const key = parts.slice(0, i + 1).join("."); if (!isOpen(key, i)) closed = key; }
      closedOf.set(layer, closed);
    }
    const name = closed === null ? `#${node.id}` : closed;
    if (!groups.has(name)) groups.set(name, closed === null ? { ...node, id: groups.size } : { id: groups.size, group: closed, title: closed, layer: closed, color: "var(--back)", count: 0, weight: 0 });
    const group = groups.get(name);
    if (closed !== null) { group.count++; group.weight += node.weight || 0; }
    of.push(group.id);
  }
  const seen = new Set(), edges = [];
  for (const [from, to] of full.edges) {
    const a = of[from], b = of[to], key = a * 1e6 + b;
    if (a === b || seen.has(key)) continue;
    seen.add(key);
    edges.push([a, b]);
  }
  const nodes = [...groups.values()];
  for (const node of nodes) if (node.group) { node.detail = `${node.count} inside`; node.tip = `${node.group}\n${node.count} inside; open it with a click or Enter`; }
  return { nodes, edges };
}
/* Rows by the longest way from a source; inside a row, by the mean place of what comes before. Edges back (of joined layers) are ignored.
 * A row of many, such as the updates of all parameters, takes several lines. */
const lineMost = 12;
function layOut(graph) {
  const { nodes, edges } = graph, before = nodes.map(() => []), after = nodes.map(() => []);
  for (const [from, to] of edges) if (from < to) { before[to].push(from); after[from].push(to); }
  const row = nodes.map(() => 0), rows = [];
  nodes.forEach((node, i) => { for (const from of before[i]) row[i] = Math.max(row[i], row[from] + 1); });
  nodes.forEach((node, i) => { (rows[row[i]] ||= []).push(i); });
  const at = nodes.map(() => 0);
  for (let pass = 0; pass < 4; pass++)
    for (const members of pass % 2 ? [...rows].reverse() : rows) {
      const near = pass % 2 ? after : before;
      const wish = new Map(members.map((i, k) => [i, near[i].length ? near[i].reduce((sum, n) => sum + at[n], 0) / near[i].length : pass ? at[i] : k * 190]));
      members.sort((a, b) => wish.get(a) - wish.get(b));
      const middle = members.reduce((sum, i) => sum + wish.get(i), 0) / members.length;
      members.forEach((i, k) => {
        const inLine = Math.min(lineMost, members.length - (k - (k % lineMost)));
        at[i] = middle + ((k % lineMost) - (inLine - 1) / 2) * 190;
      });
    }
  let top = 0;
  for (const members of rows) {
    members.forEach((i, k) => { nodes[i].x = at[i]; nodes[i].y = top + Math.floor(k / lineMost) * 62; });
    top += 74 + Math.floor((members.length - 1) / lineMost) * 62;
  }
}
function graphTab(root) {
  const graphs = { get after() { return (this.fused ||= graphAfter()); }, get before() { return (this.whole ||= graphBefore()); } };
  let which = data.steps.length ? "after" : "before", depth = 0, found = "";
  const opened = new Set(), closed = new Set();
  const depthMost = (graph) => Math.max(0, ...graph.nodes.map((node) => (node.layer ? node.layer.split(".").length : 0)));
  const isOpen = (key, level) => !closed.has(key) && (opened.has(key) || level < depth);
  const view = { x: 0, y: 0, scale: 1 };
  const svg = shape("svg", { height: 620, tabindex: "0", role: "group", "aria-label": "Graph of the program; arrow keys move, plus and minus zoom, Tab goes from node to node" }), world = shape("g");
  svg.append(shape("defs", {}, shape("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, shape("path", { d: "M0 0L8 4L0 8z", fill: "currentColor" }))), world);
  const place = () => world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  const toggle = (node) => { if (!node.group) return; if (closed.delete(node.group)) opened.add(node.group); else opened.add(node.group); draw(false); };
  let shown = { nodes: [] };
  const draw = (fit) => {
    shown = collapse(graphs[which], isOpen);
    layOut(shown);
    const edges = shown.edges.map(([from, to]) => {
      const a = shown.nodes[from], b = shown.nodes[to], middle = (a.y + 46 + b.y) / 2;
      return shape("path", { class: "edge", "marker-end": "url(#arrow)", d: `M${a.x + 85} ${a.y + 46}C${a.x + 85} ${middle} ${b.x + 85} ${middle} ${b.x + 85} ${b.y}` });
    });
    const most = Math.max(...shown.nodes.map((node) => node.weight || 0), 1e-12);
    const boxes = shown.nodes.map((node) => {
      const text = (value, length) => (value.length > length ? `…${value.slice(1 - length)}` : value);
      const hit = found && `${node.tip} ${node.title}`.toLowerCase().includes(found);
      const box = shape("g", { class: `node${hit ? " found" : ""}`, transform: `translate(${node.x} ${node.y})`, tabindex: "0", role: node.group ? "button" : "img", "aria-label": node.tip },
        shape("rect", { width: 170, height: 46, fill: node.color }), shape("rect", { y: 42, width: (170 * (node.weight || 0)) / most, height: 4, fill: "var(--accent)", stroke: "none" }),
        shape("text", { x: 8, y: 18, "font-weight": node.group ? 600 : 400 }, text(node.title, 25)), shape("text", { x: 8, y: 35, class: "faint" }, text(node.detail || "", 26)));
      box.addEventListener("click", () => toggle(node));
      box.addEventListener("keydown", (event) => { if (event.key === "Enter") toggle(node); });
      box.addEventListener("pointermove", (event) => showTip(node.tip, event.clientX, event.clientY));
      box.addEventListener("pointerleave", () => showTip(""));
      return box;
    });
    world.replaceChildren(...edges, ...boxes);
    count.textContent = `${shown.nodes.length} shown of ${graphs[which].nodes.length}`;
    if (fit) {
      const xs = shown.nodes.map((node) => node.x), left = Math.min(...xs), right = Math.max(...xs) + 170, width = svg.clientWidth || 900;
      view.scale = Math.min(1, Math.max(0.15, (width - 40) / (right - left)));
      view.x = width / 2 - ((left + right) / 2) * view.scale;
      view.y = 20;
    }
    place();
  };
  const startDepth = () => { for (depth = depthMost(graphs[which]); depth > 0 && collapse(graphs[which], isOpen).nodes.length > 120; ) depth--; };
  const zoom = (factor, x, y) => { view.x = x - (x - view.x) * factor; view.y = y - (y - view.y) * factor; view.scale *= factor; place(); };
  svg.addEventListener("wheel", (event) => { event.preventDefault(); const box = svg.getBoundingClientRect(); zoom(event.deltaY > 0 ? 0.88 : 1.14, event.clientX - box.left, event.clientY - box.top); }, { passive: false });
  let drag = null;
  svg.addEventListener("pointerdown", (event) => { drag = [event.clientX, event.clientY]; });
  addEventListener("pointerup", () => { drag = null; });
  svg.addEventListener("pointermove", (event) => { if (!drag) return; view.x += event.clientX - drag[0]; view.y += event.clientY - drag[1]; drag = [event.clientX, event.clientY]; place(); });
  svg.addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (keys[event.key]) { view.x += keys[event.key][0]; view.y += keys[event.key][1]; place(); event.preventDefault(); }
    if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.2 : 0.83, svg.clientWidth / 2, 310);
  });
  const count = element("span"), buttons = (data.steps.length ? ["after", "before"] : ["before"]).map((name) => element("button", { "aria-pressed": String(name === which), onclick: (event) => {
    which = name;
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button === event.currentTarget)));
    opened.clear(); closed.clear(); startDepth(); draw(true); } }, name === "after" ? "after fusion" : `before fusion (${data.stage})`));
  const level = (change) => () => { opened.clear(); closed.clear(); depth = Math.max(0, Math.min(depthMost(graphs[which]), depth + change)); draw(true); };
  const search = element("input", { type: "search", placeholder: "search ops, layers, lines", "aria-label": "Search the graph", oninput: () => {
    found = search.value.trim().toLowerCase();
    if (found) for (const node of graphs[which].nodes) if (`${node.tip} ${node.title}`.toLowerCase().includes(found) && node.layer)
      node.layer.split(".").forEach((part, i, parts) => opened.add(parts.slice(0, i + 1).join(".")));
    draw(false);
    const first = shown.nodes.find((node) => found && `${node.tip} ${node.title}`.toLowerCase().includes(found));
    if (first) { view.x = svg.clientWidth / 2 - (first.x + 85) * view.scale; view.y = 250 - first.y * view.scale; place(); } } });
  root.append(element("div", { class: "tools" }, ...buttons, element("button", { onclick: level(-1) }, "fewer levels"), element("button", { onclick: level(1) }, "more levels"),
    element("button", { onclick: () => draw(true) }, "fit"), search, count), element("div", { class: "frame" }, svg),
    element("p", {}, "A box is a step or an op; a bold one a layer, which a click opens. The bar below is its share of time (after fusion) or arithmetic (before)."));
  startDepth();
  draw(true);
}

/* ---- memory ---- */
/* Of each piece of working memory: from the step that first writes it to the last that uses it, and again when it is written anew. */
function lives() {
  const steps = data.steps.map((step, number) => ({ step, number })).filter(({ step }) => !step.once), open = new Map(), done = [];
  steps.forEach(({ step, number }, time) => {
    const use = ([buffer, bytes], written) => {
      if (data.buffers[buffer][0] !== "arena" || !bytes) return;
      const now = open.get(buffer);
      const fresh = written && !step.reads.some(([read]) => read === buffer);
      if (!now || (fresh && now.last < time)) { if (now) done.push(now); open.set(buffer, { buffer, bytes, first: time, last: time, number }); } else { now.last = time; now.bytes = Math.max(now.bytes, bytes); }
    };
    step.reads.forEach((arg) => use(arg, false));
    step.writes.forEach((arg) => use(arg, true));
  });
  return { lives: [...done, ...open.values()], times: steps };
}
function memoryTab(root) {
  const { lives: all, times } = lives(), memory = data.memory;
  root.append(element("div", { class: "cards" }, card("working memory, planned", bytesText(memory.arena)), card("computed once from constants", bytesText(memory.hoisted)), card("constants", bytesText(memory.constants)),
    card("arguments", bytesText(memory.arguments)), card("results", bytesText(memory.results)), card("op by op it would be", bytesText(data.eager_peak))));
  const sums = new Map();
  for (const life of all) {
    const layer = data.steps[life.number].layer;
    life.group = layer ? layer.split(".").slice(0, 2).join(".") : "-";
    sums.set(life.group, (sums.get(life.group) || 0) + life.bytes * (life.last - life.first + 1));
  }
  const names = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a)).slice(0, 11), others = "others";
  const series = new Map([...names, others].map((name) => [name, new Float64Array(times.length)]));
  const totals = new Float64Array(times.length);
  for (const life of all) {
    const values = series.get(life.group) || series.get(others);
    for (let t = life.first; t <= life.last; t++) { values[t] += life.bytes; totals[t] += life.bytes; }
  }
  const peak = totals.reduce((best, value, t) => (value > totals[best] ? t : best), 0);
  const width = 1000, height = 300, top = Math.max(...totals, 1), x = (t) => 60 + ((width - 70) * t) / Math.max(1, times.length), y = (bytes) => height - 24 - ((height - 44) * bytes) / top;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Working memory over the steps; at most ${bytesText(totals[peak] || 0)}` });
  const base = new Float64Array(times.length), all_names = [...names, others];
  for (const name of all_names) {
    const values = series.get(name);
    if (!values.some((value) => value)) continue;
    const up = [], down = [], at = (v) => v.toFixed(1);
    values.forEach((value, t) => {
      const level = at(y(base[t] + value)), below = at(y(base[t]));
      up.push(`L${at(x(t))} ${level}L${at(x(t + 1))} ${level}`);
      down.push(`L${at(x(t + 1))} ${below}L${at(x(t))} ${below}`);
      base[t] += value;
    });
    svg.append(shape("path", { d: `M${up.join("").slice(1)}${down.reverse().join("")}z`, fill: colorOf(name, all_names) }, shape("title", {}, name)));
  }
  for (let i = 0; i <= 4; i++) svg.append(shape("line", { class: "axis", x1: 60, x2: width - 10, y1: y((top * i) / 4), y2: y((top * i) / 4) }), shape("text", { x: 4, y: y((top * i) / 4) + 4, class: "faint" }, bytesText((top * i) / 4)));
  svg.append(shape("line", { x1: x(peak + 0.5), x2: x(peak + 0.5), y1: 8, y2: height - 24, stroke: "var(--mark)", "stroke-dasharray": "4 3" }), shape("text", { x: x(0), y: height - 6, class: "faint" }, `${times.length} steps, in order`));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), t = Math.floor(((((event.clientX - box.left) / box.width) * width - 60) / (width - 70)) * times.length);
    showTip(times[t] ? `${bytesText(totals[t])} in use at step ${t}\n${stepTitle(times[t].step)}` : "", event.clientX, event.clientY);
  });
  svg.addEventListener("pointerleave", () => showTip(""));
  root.append(element("div", { class: "frame" }, svg), legend(all_names, (name) => colorOf(name, all_names)));
  if (!times.length) return;
  const held = all.filter((life) => life.first <= peak && life.last >= peak);
  root.append(element("h2", {}, `The peak: ${bytesText(totals[peak])} at step ${peak}, ${times[peak].step.kind} ${times[peak].step.layer}`),
    table([["bytes", (life) => life.bytes, (life) => bytesText(life.bytes)], ["from step", (life) => life.first], ["to step", (life) => life.last],
      ["line", (life) => data.steps[life.number].place, (life) => shortPlace(data.steps[life.number].place)], ["made by", (life) => data.steps[life.number].label, (life) => `${data.steps[life.number].layer || ""} ${data.steps[life.number].label}`]], held));
}

/* ---- roofline ---- */
function rooflineTab(root) {
  if (!data.machine) { root.append(element("p", {}, "This machine was not measured (--no-measure).")); return; }
  const { flops, bandwidth } = data.machine, points = called.filter((step) => step.flops > 0 && step.seconds > 0);
  const width = 1000, height = 420, xs = [0.1, 1e4], ys = [flops * 1e-4, flops * 2];
  const lx = (v) => 70 + ((width - 90) * Math.log(Math.min(Math.max(v, xs[0]), xs[1]) / xs[0])) / Math.log(xs[1] / xs[0]), ly = (v) => height - 40 - ((height - 60) * Math.log(Math.min(Math.max(v, ys[0]), ys[1]) / ys[0])) / Math.log(ys[1] / ys[0]);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Roofline: arithmetic per byte against arithmetic per second" });
  for (let e = -1; e <= 4; e++) svg.append(shape("line", { class: "axis", x1: lx(10 ** e), x2: lx(10 ** e), y1: 10, y2: height - 40 }), shape("text", { x: lx(10 ** e) - 8, y: height - 22, class: "faint" }, String(10 ** e)));
  for (let e = Math.ceil(Math.log10(ys[0])); 10 ** e <= ys[1]; e++) svg.append(shape("line", { class: "axis", x1: 70, x2: width - 20, y1: ly(10 ** e), y2: ly(10 ** e) }), shape("text", { x: 4, y: ly(10 ** e) + 4, class: "faint" }, `${countText(10 ** e)}FLOP/s`));
  svg.append(shape("polyline", { fill: "none", stroke: "var(--accent)", "stroke-width": 2, points: [xs[0], flops / bandwidth, xs[1]].map((v) => `${lx(v)},${ly(Math.min(flops, v * bandwidth))}`).join(" ") }),
    shape("text", { x: width / 2 - 60, y: height - 4, class: "faint" }, "FLOP per byte read and written"));
  const most = Math.max(...points.map((step) => step.seconds), 1e-12);
  for (const step of points) {
    const dot = shape("circle", { cx: lx(step.flops / step.bytes), cy: ly((step.flops * step.calls) / step.seconds), r: 4 + 8 * Math.sqrt(step.seconds / most), fill: kindColor(step.kind), "fill-opacity": 0.75, stroke: "var(--text)", "stroke-width": 0.5 });
    dot.addEventListener("pointermove", (event) => showTip(stepTitle(step), event.clientX, event.clientY));
    dot.addEventListener("pointerleave", () => showTip(""));
    svg.append(dot);
  }
  root.append(element("p", {}, `The line is what this machine can do at most, as measured: ${countText(flops)}FLOP/s, ${countText(bandwidth)}B/s from memory. A dot is a matmul or convolution; its area is its share of time.`),
    element("div", { class: "frame" }, svg), legend([...new Set(points.map((step) => step.kind))], kindColor), element("h2", {}, "Furthest from the limit, by the time that could be saved"));
  const rows = grouped(called, ways.step).map((g) => ({ ...g, lost: Math.max(0, g.seconds - g.limit) })).sort((a, b) => b.lost - a.lost).slice(0, 20);
  root.append(table([["ms to the limit", (g) => g.lost, (g) => (g.lost * 1e3).toFixed(3)], ["ms", (g) => g.seconds, (g) => (g.seconds * 1e3).toFixed(3)], ["of limit", (g) => g.limit / g.seconds, (g) => `${((100 * g.limit) / g.seconds).toFixed(0)} %`], ["step", (g) => g.name]], rows));
}

/* ---- steps ---- */
function stepsTab(root) {
  const holder = element("div"), show = (way) => holder.replaceChildren(groupTable(grouped(called, ways[way]), way));
  root.append(element("div", { class: "tools" }, element("label", {}, "add up by ", element("select", { onchange: (event) => show(event.target.value) }, ...Object.keys(ways).map((way) => element("option", {}, way))))), holder);
  show("step");
}

/* ---- comparison ---- */
function compareTab(root) {
  const old = data.compare, ratio = (a, b) => (a > 0 && b > 0 ? (b / a).toFixed(3) : "");
  root.append(element("p", {}, `Before: ${old.program}, ${old.date}, Tenfold ${old.tenfold}. Ratios are new ÷ old: below 1 is less.`));
  const cell = (a, b) => element("td", { class: a > 0 && b / a < 0.98 ? "less" : a > 0 && b / a > 1.02 ? "more" : "" }, ratio(a, b));
  const totals = [["a run", old.seconds.execute, data.seconds.execute, msText], ["compiling", old.seconds.compile, data.seconds.compile, msText], ["working memory", old.memory.arena, data.memory.arena, bytesText],
    ["constants, packed", old.memory.hoisted, data.memory.hoisted, bytesText], ["steps", old.steps.filter((s) => s.calls).length, called.length, String]];
  root.append(table([["old", (r) => r[1], (r) => r[3](r[1])], ["new", (r) => r[2], (r) => r[3](r[2])], ["ratio", (r) => r[2] / (r[1] || 1), (r) => cell(r[1], r[2])], ["what", (r) => r[0]]], totals));
  for (const way of ["kind", "layer", "step"]) {
    const before = new Map(grouped(old.steps.filter((step) => step.calls > 0), ways[way]).map((g) => [g.name, g.seconds])), after = new Map(grouped(called, ways[way]).map((g) => [g.name, g.seconds]));
    const rows = [...new Set([...before.keys(), ...after.keys()])].map((name) => [name, before.get(name) || 0, after.get(name) || 0]);
    root.append(element("h2", {}, `By ${way}`), table([["change, ms", (r) => Math.abs(r[2] - r[1]), (r) => ((r[2] - r[1]) * 1e3).toFixed(3)], ["old, ms", (r) => r[1], (r) => (r[1] * 1e3).toFixed(3)], ["new, ms", (r) => r[2], (r) => (r[2] * 1e3).toFixed(3)],
      ["ratio", (r) => r[2] / (r[1] || 1), (r) => cell(r[1], r[2])], [way, (r) => r[0]]], rows));
  }
}

/* ---- tabs ---- */
const tabs = [["Overview", overview]];
if (data.target) tabs.push(["Target", targetTab]);
if (data.events.length) tabs.push(["Timeline", timeline]);
if (data.before.length || !data.command) tabs.push(["Graph", graphTab]);
if (data.buffers.length) tabs.push(["Memory", memoryTab]);
if (called.length) tabs.push(["Roofline", rooflineTab], ["Steps", stepsTab]);
if (data.metrics) tabs.push(["Training", trainingTab]);
if (data.compare) tabs.push(["Comparison", compareTab]);
const bar = document.getElementById("tabs"), main = document.getElementById("main");
const panels = tabs.map(([name]) => element("section", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, hidden: "" }));
const drawn = new Set();
function open(index) {
  [...bar.children].forEach((button, i) => { button.setAttribute("aria-selected", String(i === index)); button.tabIndex = i === index ? 0 : -1; });
  panels.forEach((panel, i) => { panel.hidden = i !== index; });
  if (!drawn.has(index)) { drawn.add(index); tabs[index][1](panels[index]); }
  if (location.hash.slice(1) !== tabs[index][0]) history.replaceState(null, "", `#${tabs[index][0]}`);
}
tabs.forEach(([name], index) => bar.append(element("button", { role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => open(index),
  onkeydown: (event) => { const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key]; if (to === undefined) return; const next = (to + tabs.length) % tabs.length; open(next); bar.children[next].focus(); } }, name)));
main.append(...panels);
document.title = `${data.program.split("/").pop()} – Tenfold report`;
document.getElementById("title").textContent = `${data.command ? data.program : data.program.split("/").pop()}${data.train ? ": a training step" : ""}`;
document.getElementById("subtitle").textContent = `${data.device}, ${data.date}, Tenfold ${data.tenfold}`;
if (location.hash === "#all") /* everything on one page, to print */
  panels.forEach((panel, index) => { panel.hidden = false; drawn.add(index); panel.append(element("h2", {}, tabs[index][0])); tabs[index][1](panel); });
else open(Math.max(0, tabs.findIndex(([name]) => name === location.hash.slice(1))));
document.body.getBoundingClientRect(); /* laid out, too */
document.documentElement.dataset.drawn = performance.now().toFixed(0); /* ms since the page was opened: bench/visible.py */
document.documentElement.dataset.ready = "yes";
