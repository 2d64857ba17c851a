package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.conformance.model.PluginUnderTest.Cleanup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** A run of the suite: the sockets of a plugin, and a directory for its paths. */
public final class SuiteRun implements ConformanceRun {

  private final PluginUnderTest plugin;
  private final RawPlugin controller;
  private final RawPlugin node;
  private final Path directory;
  private final boolean ownDirectory;
  private final String mark = UUID.randomUUID().toString().substring(0, 8);
  private int trials;

  private SuiteRun(PluginUnderTest plugin, Path directory, boolean ownDirectory) {
    this.plugin = plugin;
    this.directory = directory;
    this.ownDirectory = ownDirectory;
    controller = RawPlugin.at(plugin.controller());
    node = plugin.node().equals(plugin.controller()) ? controller : RawPlugin.at(plugin.node());
  }

  /** A run against {@code plugin}; nothing is sent yet. */
  public static SuiteRun open(PluginUnderTest plugin) {
    try {
      boolean given = plugin.directory().isPresent();
      Path directory =
          given ? plugin.directory().get() : Files.createTempDirectory("csi4j").toAbsolutePath();
      return new SuiteRun(plugin, directory, !given);
    } catch (IOException e) {
      throw new UncheckedIOException("No directory for staging and target paths can be made.", e);
    }
  }

  @Override
  public CaseResult run(ConformanceCase which) {
    if (!(which instanceof SuiteCase about)) {
      throw new IllegalArgumentException(
          "'"
              + which.name()
              + "' is no case of this suite. Choose one of PluginConformance.cases().");
    }
    long began = System.nanoTime();
    Trial trial = new Trial(this, ++trials);
    Outcome outcome;
    String story = "";
    try {
      for (Need need : about.requirements()) {
        if (!need.met(trial)) {
          throw new CaseEndedException.Skipped(need.otherwise());
        }
      }
      about.steps().run(trial);
      outcome = trial.advice().isEmpty() ? Outcome.PASSED : Outcome.ADVICE;
      story = String.join("\n", trial.advice());
    } catch (CaseEndedException e) {
      outcome = e instanceof CaseEndedException.Failed ? Outcome.FAILED : Outcome.SKIPPED;
      story =
          e instanceof CaseEndedException.Failed failed ? story(about, failed, trial) : e.text();
    } catch (RuntimeException e) {
      outcome = Outcome.FAILED;
      story =
          story(
              about,
              new CaseEndedException.Failed(
                  about.expectation(), SafeText.escape("the case broke: " + e)),
              trial);
    }
    boolean keep = outcome == Outcome.FAILED && plugin.cleanup() == Cleanup.UNLESS_FAILED;
    List<String> left = keep ? trial.kept() : trial.cleanUp();
    return new CaseResult(about, outcome, story, left, Duration.ofNanos(System.nanoTime() - began));
  }

  /** Why a case failed, in lines for people. */
  private static String story(SuiteCase about, CaseEndedException.Failed ending, Trial trial) {
    StringBuilder out = new StringBuilder(1 << 10);
    line(out, "expected", ending.expected());
    line(out, "got", ending.text());
    line(out, "the spec", about.place() + ": " + about.expectation());
    line(out, "look at", hint(ending, trial.lastCode()));
    List<String> calls = trial.calls();
    out.append("calls:");
    for (int i = 0; i < calls.size(); i++) {
      out.append("\n  ").append(i + 1).append("  ").append(calls.get(i));
    }
    return out.toString();
  }

  private static void line(StringBuilder out, String name, String text) {
    out.append(String.format(Locale.ROOT, "%-10s", name + ":")).append(text).append('\n');
  }

  private static String hint(CaseEndedException.Failed ending, StatusCode last) {
    return switch (last) {
      case DEADLINE_EXCEEDED ->
          "the plugin's log: the call was not answered in time. It may hang on its storage, or the"
              + " deadline is too short for it.";
      case UNAVAILABLE -> "whether the plugin still runs and listens on the socket.";
      case UNIMPLEMENTED -> "the capabilities that it declares: this call is not served.";
      case UNKNOWN, INTERNAL ->
          "how the plugin turns its own errors into gRPC codes: callers decide by the code alone.";
      case OK ->
          ending.expected().contains("INVALID_ARGUMENT")
              ? "the checks of the request, which come before any work is done."
              : "what the plugin remembers of earlier calls, and compares with this one.";
      default -> "which of the plugin's checks made this answer, and in which order they come.";
    };
  }

  PluginUnderTest plugin() {
    return plugin;
  }

  RawPlugin controller() {
    return controller;
  }

  RawPlugin node() {
    return node;
  }

  Path directory() {
    return directory;
  }

  /** Returns the mark that names of this run have in them and those of no other. */
  String mark() {
    return mark;
  }

  @Override
  public void close() {
    controller.close();
    if (node != controller) {
      node.close();
    }
    if (ownDirectory) {
      try {
        Files.deleteIfExists(directory);
      } catch (IOException e) {
        // A case left something in it, and was told so.
      }
    }
  }
}
