package io.csi4j.examples;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Programs in JavaScript, which need Node and the modules of {@code examples}. */
final class NodePrograms {

  private static final Path EXAMPLES = Page.ROOT.toAbsolutePath().normalize().resolve("examples");

  private NodePrograms() {}

  /**
   * Skips the test where something is missing, with its name as the reason; fails the test where
   * {@code NODE_TEST_REQUIRED=1}.
   */
  static void require() throws IOException, InterruptedException {
    String missing = missing();
    if (!missing.isEmpty() && "1".equals(System.getenv("NODE_TEST_REQUIRED"))) {
      throw new AssertionError("NODE_TEST_REQUIRED=1, and this is missing: " + missing);
    }
    assumeThat(missing).as("missing for programs in JavaScript").isEmpty();
  }

  private static String missing() throws IOException, InterruptedException {
    ProcessBuilder builder =
        builder(
            List.of("-e", "['@grpc/grpc-js', '@grpc/proto-loader'].forEach(require.resolve)"),
            Map.of());
    Process process;
    try {
      process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException e) {
      return "node";
    }
    return process.waitFor() == 0 ? "" : "the modules of examples/package-lock.json (npm ci)";
  }

  /** Returns the release of Node, such as 20. */
  static int release() throws IOException {
    Process process =
        builder(List.of("-p", "process.versions.node.split('.')[0]"), Map.of()).start();
    return Integer.parseInt(
        new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
  }

  /** Starts a program of {@code examples}, which shares the standard error of this process. */
  static RunningProgram start(String program, String... arguments) throws IOException {
    return start(Map.of(), program, arguments);
  }

  /** Starts a program with variables; if there are any, its lines include its standard error. */
  static RunningProgram start(Map<String, String> variables, String program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(EXAMPLES.resolve(program).toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = builder(command, variables);
    if (variables.isEmpty()) {
      builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    } else {
      builder.redirectErrorStream(true);
    }
    return new RunningProgram(builder.start());
  }

  private static ProcessBuilder builder(List<String> arguments, Map<String, String> variables) {
    List<String> command = new ArrayList<>(List.of("node"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(EXAMPLES.toFile());
    builder.environment().put("NODE_PATH", EXAMPLES.resolve("target/node/node_modules").toString());
    builder.environment().putAll(variables);
    return builder;
  }
}
