/** What is used of the language client. It becomes a file of its own (scripts/build.mjs), read when the sidecar starts. */

export { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from "vscode-languageclient/node";
