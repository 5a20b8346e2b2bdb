/** Re-exports the used parts of the language client, as a separate bundle that is loaded when the sidecar starts. */

export { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from "vscode-languageclient/node";
