// Starts torc mod debug as the debug adapter of the type "torc". There is nothing to build.
const vscode = require("vscode");

exports.activate = function (context) {
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory("torc", {
    createDebugAdapterDescriptor(session) {
      const { mod, data, torc } = session.configuration;
      const args = ["mod", "debug", mod];
      if (data) args.push("--data", data);
      return new vscode.DebugAdapterExecutable(torc || "torc", args);
    },
  }));
};
