/* Answers questions one after another: a list of words as for the command, and perhaps a plan as standard input. */
let binary = null;
async function answer(words, plan) {
    const lines = { out: [], err: [] };
    const sotto = await makeSotto({
        wasmBinary: binary,
        print: (line) => lines.out.push(line),
        printErr: (line) => lines.err.push(line),
    });
    if (plan !== null) sotto.FS.writeFile("plan.json", plan);
    const code = sotto.callMain(words);
    let svg = null;
    try {
        svg = sotto.FS.readFile("curve.svg", { encoding: "utf8" });
    } catch (error) { /* the command did not draw */ }
    return { code, out: lines.out.join("\n"), err: lines.err.join("\n"), svg };
}
let last = Promise.resolve();
self.onmessage = (event) => {
    const { id, words, plan, wasm } = event.data;
    if (wasm !== undefined) {
        binary = wasm;
        return;
    }
    last = last.then(() => answer(words, plan))
        .then((result) => self.postMessage({ id, result }),
              (error) => self.postMessage({ id, error: String(error) }));
};
