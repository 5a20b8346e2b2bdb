/** Re-exports the parts of the language client in use. It becomes a file of its own (scripts/build.mjs), read when the sidecar starts. */

export { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from "vscode-languageclient/node";
