/* Search without a server: a browser starts no Worker from a file: address. This one runs the same script in a hidden frame.
 * The name is the one that the theme's search looks for. */
if (location.protocol === "file:") {
    window.IFrameWorker = class IFrameWorker extends EventTarget {
        constructor(address) {
            super();
            this.frame = document.createElement("iframe");
            this.frame.hidden = true;
            this.frame.title = "Search";
            this.frame.srcdoc = "<!doctype html><html lang=en><title>Search</title><body>";
            this.ready = new Promise((resolve) => { this.frame.onload = () => this.start(address, resolve); });
            document.body.append(this.frame);
        }

        start(address, resolve) {
            const frame = this.frame.contentWindow;
            frame.postMessage = (data) => {
                const event = new MessageEvent("message", {data});
                this.dispatchEvent(event);
                this.onmessage?.(event);
            };
            const script = frame.document.createElement("script");
            script.src = new URL(address, document.baseURI).href;
            script.onload = () => resolve(frame);
            frame.document.body.append(script);
        }

        postMessage(data) {
            this.ready.then((frame) => frame.dispatchEvent(new frame.MessageEvent("message", {data})));
        }

        terminate() {
            this.frame.remove();
        }
    };
    window.Worker = window.IFrameWorker;
}
