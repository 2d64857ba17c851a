package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.Scrubber;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A run of the suite, with the sockets of a plugin and a directory for its paths. */
public final class SuiteRun implements ConformanceRun {

  private final PluginUnderTest plugin;
  private final RawPlugin controller;
  private final RawPlugin node;
  private final Path directory;
  private final boolean ownDirectory;
  private final UnaryOperator<String> scrubber;
  private final @Nullable StartedPlugin started;
  private final PluginPresence presence;
  private final @Nullable Ledger ledger;
  private final Map<CaseResult, Trial> unsettled = new LinkedHashMap<>();
  private final String mark = UUID.randomUUID().toString().substring(0, 8);
  private final long began = System.nanoTime();
  private volatile boolean stopped;
  private final PluginReadiness readiness = new PluginReadiness(this);
  private boolean keepLedger;
  private @Nullable Trial present;
  private int trials;

  private SuiteRun(PluginUnderTest plugin, Path directory, boolean ownDirectory) {
    this.plugin = plugin;
    this.directory = directory;
    this.ownDirectory = ownDirectory;
    scrubber = Scrubber.of(secretValues(plugin));
    started = plugin.command().isEmpty() ? null : new StartedPlugin(plugin, scrubber);
    presence = new PluginPresence(plugin, started);
    ledger = plugin.ledger().map(Ledger::new).orElse(null);
    controller = new RawPlugin(plugin.controller());
    node = plugin.node().equals(plugin.controller()) ? controller : new RawPlugin(plugin.node());
  }

  private static List<String> secretValues(PluginUnderTest plugin) {
    return Arrays.stream(CsiOperation.values())
        .map(plugin::secrets)
        .map(each -> each.reveal().values())
        .flatMap(Collection::stream)
        .distinct()
        .toList();
  }

  /**
   * Opens a run against {@code plugin}. Starts the plugin with its command, if the description has
   * one, but makes no call yet.
   */
  public static SuiteRun open(PluginUnderTest plugin) {
    try {
      boolean given = plugin.directory().isPresent();
      Path directory =
          given ? plugin.directory().get() : Files.createTempDirectory("csi4j").toAbsolutePath();
      SuiteRun run = new SuiteRun(plugin, directory, !given);
      run.start();
      return run;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "No directory for staging and target paths can be created.", e);
    }
  }

  /** Starts the plugin, if the description has a command. If the start fails, closes this run. */
  private void start() {
    if (started == null) {
      return;
    }
    try {
      started.start();
      started.checkNotFailed();
    } catch (UncheckedIOException e) {
      keepLedger = true;
      close();
      throw e;
    }
  }

  @Override
  public String subject() {
    return plugin.toString();
  }

  @Override
  public CaseResult run(ConformanceCase which) {
    if (!(which instanceof SuiteCase about)) {
      throw new IllegalArgumentException(
          "'"
              + which.name()
              + "' is not a case of this suite. Choose one of PluginConformance.cases().");
    }
    long began = System.nanoTime();
    Trial trial = new Trial(this, ++trials);
    present = trial;
    Outcome outcome;
    String story;
    List<String> causes;
    try {
      checkMayRun(about);
      for (Need need : about.requirements()) {
        if (!need.met(trial)) {
          throw CaseEndedException.skipped(need.otherwise(trial));
        }
      }
      about.steps().accept(trial);
      outcome = trial.advice().isEmpty() ? Outcome.PASSED : Outcome.ADVICE;
      story = String.join("\n", trial.advice());
      causes = trial.advice();
    } catch (CaseEndedException e) {
      outcome = e.outcome();
      if (outcome == Outcome.FAILED) {
        story = story(about, e, trial);
        causes = List.of("expected: " + e.expected() + "; got: " + e.text());
        trial.calls().lastUnserved().ifPresent(presence::failedUnserved);
      } else {
        story = e.text();
        causes = List.of(story);
      }
    } catch (RuntimeException e) {
      outcome = Outcome.NOT_RUN;
      story =
          e instanceof UncheckedIOException
              ? String.valueOf(e.getMessage())
              : SafeText.escape(
                  "the case itself failed, which is a defect of the suite: " + e, 1 << 10);
      causes = List.of(story);
    }
    boolean keep = outcome == Outcome.FAILED && plugin.cleanup() == Cleanup.UNLESS_FAILED;
    List<String> left = keep ? trial.leftovers().kept() : trial.cleanUp();
    CaseResult result =
        new CaseResult(
            about,
            outcome,
            causes.stream().map(this::named).toList(),
            named(story),
            trial.calls().lines(),
            left,
            Duration.ofNanos(System.nanoTime() - began));
    if (!keep && !left.isEmpty()) {
      unsettled.put(result, trial);
    }
    present = null;
    rememberLess();
    return result;
  }

  /**
   * Ends a case that must not run, because the run was stopped, its time is up, or the plugin has
   * ended.
   */
  private void checkMayRun(SuiteCase about) {
    checkNotStopped();
    checkInBudget();
    if (presence.begin(about.name())) {
      readiness.awaitAnswer();
    }
    if (!about.group().equals("identity")) {
      readiness.check();
    }
  }

  void checkNotStopped() {
    if (stopped) {
      throw CaseEndedException.notRun("the run was stopped");
    }
  }

  void checkInBudget() {
    if (deadline().isZero()) {
      throw CaseEndedException.notRun(
          "the budget of " + plugin.budget().orElseThrow().toSeconds() + " s was used up");
    }
  }

  /** Returns the deadline for the next call; zero if the time of the run is up. */
  Duration deadline() {
    if (plugin.budget().isEmpty()) {
      return plugin.deadline();
    }
    Duration left = plugin.budget().get().minus(Duration.ofNanos(System.nanoTime() - began));
    return left.isNegative()
        ? Duration.ZERO
        : left.compareTo(plugin.deadline()) < 0 ? left : plugin.deadline();
  }

  @Override
  public void stop() {
    stopped = true;
  }

  @Override
  public Map<CaseResult, CaseResult> cleanUpAgain() {
    Map<CaseResult, CaseResult> changed = new LinkedHashMap<>();
    unsettled.forEach(
        (result, trial) -> {
          List<String> left = trial.cleanUp();
          if (!left.equals(result.leftBehind())) {
            changed.put(result, result.leaving(left));
          }
        });
    changed.forEach(
        (before, now) -> {
          Trial trial = Objects.requireNonNull(unsettled.remove(before));
          if (!now.leftBehind().isEmpty()) {
            unsettled.put(now, trial);
          }
        });
    rememberLess();
    return changed;
  }

  /**
   * Undoes the effects of an earlier run that the ledger of the description lists. Returns the
   * effects that remain.
   *
   * @throws IllegalArgumentException if the description names no ledger, or the ledger cannot be
   *     read
   */
  public static List<String> cleanUpAfter(PluginUnderTest plugin) {
    Ledger ledger =
        new Ledger(
            plugin
                .ledger()
                .orElseThrow(
                    () -> new IllegalArgumentException("The description names no ledger.")));
    List<Path> directories = ledger.directories();
    try (SuiteRun run = open(plugin)) {
      Trial trial = new Trial(run, 0);
      run.present = trial;
      ledger
          .undos(request -> plugin.secrets(RawPlugin.operation(request)).reveal())
          .forEach(trial.leftovers()::takeOver);
      List<String> left = new ArrayList<>(trial.cleanUp());
      left.addAll(removed(directories));
      run.keepLedger = true;
      if (left.isEmpty()) {
        ledger.remove();
      } else {
        try {
          ledger.write(trial.leftovers().owed(), directories);
        } catch (UncheckedIOException e) {
          left.add(String.valueOf(e.getMessage()));
        }
      }
      run.present = null;
      return left;
    }
  }

  private static List<String> removed(List<Path> directories) {
    List<String> left = new ArrayList<>();
    for (int i = directories.size() - 1; i >= 0; i--) {
      Path directory = directories.get(i);
      try {
        boolean unused = Files.deleteIfExists(directory);
      } catch (IOException e) {
        left.add(
            "%s could not be removed: %s"
                .formatted(
                    SafeText.quote(directory.toString()), SafeText.escape(e.toString(), 256)));
      }
    }
    return left;
  }

  /**
   * Writes the current objects of all cases to the ledger.
   *
   * @throws UncheckedIOException if the ledger cannot be written; no further object may then be
   *     created
   */
  void remember() {
    if (ledger == null || keepLedger) {
      return;
    }
    List<Message> undos = new ArrayList<>();
    List<Path> directories = new ArrayList<>();
    if (ownDirectory) {
      directories.add(directory);
    }
    Stream.concat(unsettled.values().stream(), Stream.ofNullable(present))
        .forEach(
            each -> {
              undos.addAll(each.leftovers().owed());
              directories.addAll(each.paths().directories());
            });
    ledger.write(undos, directories);
  }

  /**
   * Writes the remaining objects to the ledger. A failure is ignored, because the old ledger
   * already lists all of these objects.
   */
  private void rememberLess() {
    try {
      remember();
    } catch (UncheckedIOException e) {
      // The next call that creates an object will fail for the same reason.
    }
  }

  /** Returns the text with the socket of a proxy replaced by the plugin's own socket. */
  String named(String text) {
    return text.replace(plugin.controller().path().toString(), plugin.startsAt().path().toString());
  }

  /** Returns the reason why a case failed, as lines of text. */
  private static String story(SuiteCase about, CaseEndedException ending, Trial trial) {
    StringBuilder out = new StringBuilder(1 << 10);
    line(out, "expected", ending.expected());
    line(out, "got", ending.text());
    line(out, "the case", about.expectation());
    line(out, "the spec", about.strength() + ", " + about.place() + ": " + about.sentence());
    line(out, "look at", hint(ending, trial));
    List<String> calls = trial.calls().lines();
    out.append("calls:");
    calls.forEach(each -> out.append("\n  ").append(each));
    return out.toString();
  }

  private static void line(StringBuilder out, String name, String text) {
    out.append(String.format(Locale.ROOT, "%-10s", name + ":")).append(text).append('\n');
  }

  private static String hint(CaseEndedException ending, Trial trial) {
    return switch (trial.calls().lastCode()) {
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
              : trial.calls().lastIsAboutTheSame()
                  ? "what the plugin remembers of earlier calls, and compares with this one."
                  : "how the plugin makes this answer.";
      default -> "which of the plugin's checks made this answer, and in which order they come.";
    };
  }

  PluginUnderTest plugin() {
    return plugin;
  }

  PluginPresence presence() {
    return presence;
  }

  UnaryOperator<String> scrubber() {
    return scrubber;
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

  /** Returns a text that is part of all names in this run, and of no name in any other run. */
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
        // The directory is not empty. The case that left files in it has already reported them.
      }
    }
    if (started != null) {
      started.close();
    }
    if (ledger != null && !keepLedger && present == null && unsettled.isEmpty()) {
      ledger.remove();
    }
  }
}
