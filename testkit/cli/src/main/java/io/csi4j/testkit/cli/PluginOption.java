package io.csi4j.testkit.cli;

import io.csi4j.client.model.CsiEndpoint;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the endpoint of a plugin. */
final class PluginOption {

  @Option(
      names = "--endpoint",
      paramLabel = "ENDPOINT",
      defaultValue = "${env:CSI_ENDPOINT}",
      description =
          "The socket of the plugin, such as unix:///run/csi/csi.sock. Default: $CSI_ENDPOINT.")
  private @Nullable CsiEndpoint endpoint;

  /**
   * Returns the endpoint. Fails if the command line names none.
   *
   * @param purpose the purpose of the endpoint for the message, such as {@code to call}
   */
  CsiEndpoint needed(String purpose) {
    if (endpoint == null) {
      throw CommandFailure.usage(
          "No plugin "
              + purpose
              + ". Write --endpoint unix:///run/csi/csi.sock, or set CSI_ENDPOINT.");
    }
    return endpoint;
  }
}
