
"use strict";
/* The worker computes; the page collects the words of a command and shows its answer. */
const text = (id) => document.getElementById(id).textContent;
const worker = new Worker(URL.createObjectURL(
    new Blob([text("glue"), "\n", text("worker")], { type: "text/javascript" })));
const waiting = new Map();
let count = 0;
worker.postMessage({ wasm: Uint8Array.from(atob(text("wasm")), (letter) => letter.charCodeAt(0)) });
worker.onmessage = (event) => {
    const { id, result, error } = event.data;
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result); else reject(new Error(error));
};

/* sotto(["account", "epsilon", ...], plan): {code, out, err, svg} as of the command. */
window.sotto = (words, plan = null) => new Promise((resolve, reject) => {
    const id = ++count;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, words, plan });
});

/* One word of a shell. */
const quoted = (word) => /^[\w.+,:=\/-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";

function element(parent, tag, content, kind) {
    const node = document.createElement(tag);
    node.textContent = content;
    if (kind) node.className = kind;
    parent.append(node);
    return node;
}

function show(output, words, result) {
    output.replaceChildren();
    if (result.code !== 0) {
        element(output, "p", result.err, "bad");
        return;
    }
    const lines = result.out.split("\n");
    const headline = lines.find((line) => line.startsWith("advantage")) ?? lines[0];
    element(output, "p", headline.replace(/\s{2,}/, ": ").replace(/ \(.*/, ""), "value");
    if (result.svg !== null) {
        const plot = element(output, "div", "", "plot");
        plot.tabIndex = 0;
        const drawn = new DOMParser().parseFromString(result.svg, "image/svg+xml");
        plot.append(document.importNode(drawn.documentElement, true));
    }
    element(output, "pre", "$ sotto " + words.map(quoted).join(" ") + "\n" + result.out).tabIndex = 0;
}

for (const form of document.forms) {
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const output = form.querySelector("output");
        const fields = new FormData(form);
        const question = form.id === "composition" ? "epsilon" : form.id;
        const words = ["account", question];
        for (const [name, value] of fields)
            if (name !== "plan" && value.trim() !== "") words.push("--" + name, value.trim());
        if (form.id === "composition") words.push("--plan", "plan.json");
        if (form.id === "curve") words.push("--svg", "curve.svg");
        output.replaceChildren();
        element(output, "p", "computing");
        try {
            show(output, words, await window.sotto(words, fields.get("plan")));
        } catch (error) {
            output.replaceChildren();
            element(output, "p", String(error), "bad");
        }
    });
}
