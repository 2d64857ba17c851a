package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.HELD;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every status, and numbers that are none, as the answer to each of the four calls: whether the
 * plugin did the work, did not, or does it when it has long answered; once, and every time.
 *
 * <p>What is expected follows from a table of classes of codes, written down here by the meaning of
 * each code and not by what the engine does.
 */
class CodeTableTest {

  private static final int ATTEMPTS = 3;
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final List<Integer> ILLEGAL = List.of(17, -1, Integer.MAX_VALUE);

  /** What becomes of the work. */
  enum Work {
    DID,
    DID_NOT,
    LATER
  }

  /** How often it goes wrong. */
  enum Times {
    FIRST,
    EVERY
  }

  /** What a code means when something is taken. */
  enum Taking {
    /** It is there, if the mount table agrees. */
    YES,
    /** It ended, and nobody knows how: the same call again, then back. */
    ENDED,
    /** It is not there yet, perhaps: the same call again, then back. */
    MISSING,
    /** It may go on: the same call again, and no opposite before the quarantine is over. */
    GOES_ON,
    /** It would end the same way again: back at once. */
    REFUSED,
    /** What has to come before is missing: that once more, then this. */
    PREMISE
  }

  /** What a code means when something is given back. */
  enum Giving {
    /** It is gone, if the mount table agrees. */
    YES,
    /** The same call again, and then in the background. */
    AGAIN,
    /** The plugin knows nothing of it: the mount table decides. */
    FORGOTTEN,
    /** In the background only. */
    LATER,
    /** Our request is wrong, or the plugin has no such call: a person has to look. */
    PERSON,
    /** The plugin has no such call any more: owed until it has one again. */
    NO_SUCH_CALL
  }

  private static Taking taking(Verb verb, int code) {
    return switch (code) {
      case 0 -> Taking.YES;
      case 1, 4, 10, 14 -> Taking.GOES_ON; // CANCELLED, DEADLINE_EXCEEDED, ABORTED, UNAVAILABLE
      case 3, 6, 7, 11, 12, 15, 16 -> Taking.REFUSED;
      case 9 -> verb == Verb.PUBLISH ? Taking.PREMISE : Taking.REFUSED; // FAILED_PRECONDITION
      case 5 -> Taking.MISSING; // NOT_FOUND
      default -> Taking.ENDED; // UNKNOWN, RESOURCE_EXHAUSTED, INTERNAL, none at all
    };
  }

  private static Giving giving(Verb verb, int code) {
    return switch (code) {
      case 0 -> Giving.YES;
      case 3 -> Giving.PERSON; // INVALID_ARGUMENT
      case 5 -> Giving.FORGOTTEN;
      case 12 -> verb == Verb.UNSTAGE ? Giving.NO_SUCH_CALL : Giving.PERSON;
      case 6, 7, 9, 11, 15, 16 -> Giving.LATER;
      default -> Giving.AGAIN;
    };
  }

  /** One row. */
  record Row(Verb verb, int code, Work work, Times times) {

    @Override
    public String toString() {
      return verb.operation().rpcName() + " " + name(code) + ", " + work + ", " + times;
    }

    boolean isForward() {
      return verb.isForward();
    }

    boolean isEvery() {
      return times == Times.EVERY;
    }

    /** The call as the journal has it. */
    String call() {
      return word(verb) + ":" + name(code);
    }
  }

  /** What a row leads to. */
  record Expected(
      Optional<Outcome> outcome,
      Optional<OperatorCode> code,
      List<String> calls,
      PathStatus staging,
      PathStatus target) {}

  static Stream<Row> taking() {
    return rows(Verb.STAGE, Verb.PUBLISH);
  }

  static Stream<Row> giving() {
    return rows(Verb.UNPUBLISH, Verb.UNSTAGE);
  }

  static Stream<Row> takingOnce() {
    return taking().filter(CodeTableTest::isPlain);
  }

  static Stream<Row> givingOnce() {
    return giving().filter(CodeTableTest::isPlain);
  }

  /**
   * One of each class, for each of the calls, the one with a code of its own, and one that is no
   * status.
   */
  private static final Set<Integer> TYPICAL = Set.of(0, 2, 3, 4, 5, 6, 9, 12, 15, 17);

  /** The row of a typical code in which the call goes wrong once, in the first way. */
  private static boolean isPlain(Row row) {
    return !row.isEvery() && row.work() == Work.values()[0] && TYPICAL.contains(row.code());
  }

  private static Stream<Row> rows(Verb... verbs) {
    List<Integer> codes = new ArrayList<>(IntStream.rangeClosed(0, 16).boxed().toList());
    codes.addAll(ILLEGAL);
    return Stream.of(verbs)
        .flatMap(
            verb ->
                codes.stream()
                    .flatMap(
                        code ->
                            Stream.of(Work.values())
                                .flatMap(
                                    work ->
                                        Stream.of(Times.values())
                                            .map(times -> new Row(verb, code, work, times)))));
  }

  @Test
  void theTableIsWhole() {
    assertThat(Stream.concat(taking(), giving())).hasSize(4 * 20 * 3 * 2).doesNotHaveDuplicates();
  }

  private static String name(int code) {
    return code >= 0 && code <= 16 ? StatusCode.ofValue(code).name() : Integer.toString(code);
  }

  private static String word(Verb verb) {
    return switch (verb) {
      case STAGE -> "Stage";
      case PUBLISH -> "Publish";
      case UNPUBLISH -> "Unpublish";
      case UNSTAGE -> "Unstage";
    };
  }

  private static Expected expected(Row row) {
    return row.isForward() ? expectedOfTaking(row) : expectedOfGiving(row);
  }

  // ---- mounting

  private static Expected expectedOfTaking(Row row) {
    boolean stages = row.verb() == Verb.STAGE;
    List<String> before = stages ? List.of() : List.of("Stage:OK");
    List<String> undone = stages ? List.of("Unstage:OK") : List.of("Unpublish:OK", "Unstage:OK");
    List<String> mounted = stages ? List.of("Stage:OK", "Publish:OK") : List.of("Publish:OK");
    OperatorCode doubt = stages ? OperatorCode.STAGE_IN_DOUBT : OperatorCode.PUBLISH_IN_DOUBT;
    List<String> thrice = Collections.nCopies(ATTEMPTS, row.call());
    List<String> once = List.of(row.call());
    return switch (taking(row.verb(), row.code())) {
      case YES ->
          row.work() == Work.DID
              ? done(join(before, mounted))
              : row.isEvery()
                  ? failed(REFUSED, OperatorCode.MOUNT_NOT_VISIBLE, join(before, thrice, undone))
                  : done(join(before, once, mounted));
      case ENDED ->
          row.isEvery()
              ? failed(REFUSED, OperatorCode.FAILED_IN_DOUBT, join(before, thrice, undone))
              : done(join(before, once, mounted));
      case MISSING ->
          row.isEvery()
              ? failed(REFUSED, OperatorCode.REFUSED_BY_PLUGIN, join(before, thrice, undone))
              : done(join(before, once, mounted));
      case GOES_ON ->
          row.isEvery()
              ? new Expected(
                  Optional.of(IN_PROGRESS),
                  Optional.of(doubt),
                  join(before, thrice),
                  stages ? PathStatus.IN_DOUBT : PathStatus.PRESENT,
                  stages ? PathStatus.NONE : PathStatus.GOING)
              : done(join(before, once, mounted));
      case REFUSED ->
          failed(
              REFUSED,
              row.code() == 15 ? OperatorCode.DATA_LOSS : OperatorCode.REFUSED_BY_PLUGIN,
              join(before, once, undone));
      case PREMISE ->
          row.isEvery()
              ? failed(
                  REFUSED,
                  OperatorCode.REFUSED_BY_PLUGIN,
                  join(before, once, List.of("Stage:OK"), once, undone))
              : done(join(before, once, List.of("Stage:OK"), mounted));
    };
  }

  private static Expected done(List<String> calls) {
    return new Expected(
        Optional.empty(), Optional.empty(), calls, PathStatus.PRESENT, PathStatus.PRESENT);
  }

  private static Expected failed(Outcome outcome, OperatorCode code, List<String> calls) {
    return new Expected(
        Optional.of(outcome), Optional.of(code), calls, PathStatus.NONE, PathStatus.NONE);
  }

  @SafeVarargs
  private static List<String> join(List<String>... parts) {
    List<String> all = new ArrayList<>();
    for (List<String> part : parts) {
      all.addAll(part);
    }
    return all;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("takingOnce")
  void mountingWithOneFailure(Row row) {
    mounting(row);
  }

  @Tag("campaign")
  @PlayedInShares
  @Tag("D11")
  @ParameterizedTest(name = "{0}")
  @MethodSource("taking")
  void mounting(Row row) {
    Expected expected = expected(row);
    try (Node node = node()) {
      node.volume("vol-1");
      Runnable late = misbehave(node, row);
      if (expected.outcome().isEmpty()) {
        node.mount(single("vol-1", "web"));
        assertThat(node.mounted(node.targetPath("vol-1", "web"))).isTrue();
      } else {
        check(node, row, expected, node.mountFails(single("vol-1", "web")));
      }
      assertThat(end(node))
          .as("D11: the calls and the paths after %s", row)
          .isEqualTo(new End(expected.calls(), expected.staging(), expected.target()));

      late.run();
      if (expected.outcome().isEmpty()) {
        assertThat(node.mountsAt(node.targetPath("vol-1", "web"))).isEqualTo(1);
        node.plugin().clearFaults();
        assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
        assertThat(node.isClean()).as(node.story()).isTrue();
      } else {
        finish(node);
        assertThat(node.plugin().contents().idle()).isTrue();
      }
    }
  }

  // ---- releasing

  private static Expected expectedOfGiving(Row row) {
    boolean isUse = row.verb() == Verb.UNPUBLISH;
    List<String> before = isUse ? List.of() : List.of("Unpublish:OK");
    List<String> rest = isUse ? List.of("Unstage:OK") : List.of();
    List<String> once = List.of(row.call());
    List<String> thrice = Collections.nCopies(ATTEMPTS, row.call());
    List<String> again = List.of(word(row.verb()) + ":OK");
    OperatorCode doubt = isUse ? OperatorCode.UNPUBLISH_IN_DOUBT : OperatorCode.UNSTAGE_IN_DOUBT;
    boolean isGone = row.work() == Work.DID;
    return switch (giving(row.verb(), row.code())) {
      case YES ->
          isGone
              ? released(join(before, once, rest))
              : row.isEvery()
                  ? left(isUse, IN_PROGRESS, OperatorCode.STILL_MOUNTED, join(before, thrice))
                  : released(join(before, once, again, rest));
      case AGAIN ->
          row.isEvery()
              ? left(isUse, IN_PROGRESS, doubt, join(before, thrice))
              : released(join(before, once, again, rest));
      case NO_SUCH_CALL ->
          left(isUse, IN_PROGRESS, OperatorCode.CAPABILITY_LOST, join(before, once));
      case FORGOTTEN ->
          isGone
              ? released(join(before, once, rest))
              : left(isUse, HELD, OperatorCode.CLEANUP_NEEDS_HELP, join(before, once));
      case LATER ->
          left(
              isUse,
              IN_PROGRESS,
              row.code() == 15 ? OperatorCode.DATA_LOSS : OperatorCode.RELEASE_REFUSED,
              join(before, once));
      case PERSON -> left(isUse, HELD, OperatorCode.CLEANUP_NEEDS_HELP, join(before, once));
    };
  }

  private static Expected released(List<String> calls) {
    return new Expected(
        Optional.empty(), Optional.empty(), calls, PathStatus.NONE, PathStatus.NONE);
  }

  private static Expected left(
      boolean isUse, Outcome outcome, OperatorCode code, List<String> calls) {
    return new Expected(
        Optional.of(outcome),
        Optional.of(code),
        calls,
        isUse ? PathStatus.PRESENT : PathStatus.IN_DOUBT,
        isUse ? PathStatus.GOING : PathStatus.NONE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("givingOnce")
  void releasingWithOneFailure(Row row) {
    releasing(row);
  }

  @Tag("campaign")
  @PlayedInShares
  @Tag("D11")
  @ParameterizedTest(name = "{0}")
  @MethodSource("giving")
  void releasing(Row row) {
    Expected expected = expected(row);
    try (Node node = node()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      Runnable late = misbehave(node, row);
      if (expected.outcome().isEmpty()) {
        assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      } else {
        check(node, row, expected, node.unmountFails(usage("vol-1", "web")));
      }
      assertThat(end(node))
          .as("D11: the calls and the paths after %s", row)
          .isEqualTo(
              new End(
                  join(List.of("Stage:OK", "Publish:OK"), expected.calls()),
                  expected.staging(),
                  expected.target()));

      late.run();
      if (expected.outcome().filter(HELD::equals).isPresent()) {
        node.restartPlugins(); // Somebody has repaired it: only then may it be called again.
      }
      if (giving(row.verb(), row.code()) == Giving.FORGOTTEN) {
        // The plugin says that it has no such volume, so there is nothing to be unpublished.
        node.excuse(142, 143);
      }
      finish(node);
    }
  }

  // ---- expanding and reading, which mount nothing

  static Stream<Integer> failures() {
    return rows(Verb.STAGE).map(Row::code).filter(code -> code != 0).distinct();
  }

  /** After these nobody knows whether a filesystem has grown. */
  private static final Set<StatusCode> IN_DOUBT =
      EnumSet.of(
          StatusCode.CANCELLED,
          StatusCode.UNKNOWN,
          StatusCode.DEADLINE_EXCEEDED,
          StatusCode.RESOURCE_EXHAUSTED,
          StatusCode.ABORTED,
          StatusCode.INTERNAL,
          StatusCode.UNAVAILABLE);

  @Tag("D11")
  @ParameterizedTest
  @MethodSource("failures")
  void whatMountsNothingChangesNothingWhenItFails(int code) {
    try (Node node = node()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      When when = When.calling(CsiOperation.NODE_EXPAND_VOLUME, CsiOperation.NODE_GET_VOLUME_STATS);
      FaultRule rule = node.plugin().inject(Fault.fail(code, "the test wants it so"), when);

      for (VolumeException failure :
          List.of(
              node.fails(node.engine().stats(usage("vol-1", "web"))),
              node.fails(
                  node.engine()
                      .expand(
                          ExpandRequest.of(
                              usage("vol-1", "web"), CapacityRange.exactly(1L << 30)))))) {
        assertThat(failure.code())
            .as("D11: a call that mounts nothing fails as a call")
            .isEqualTo(OperatorCode.CALL_FAILED);
        boolean mayHaveGrown =
            failure.getMessage().contains("NodeExpandVolume")
                && (ILLEGAL.contains(code) || IN_DOUBT.contains(StatusCode.ofValue(code)));
        assertThat(failure.outcome()).isEqualTo(mayHaveGrown ? IN_PROGRESS : REFUSED);
        assertThat(failure.getMessage())
            .contains(ILLEGAL.contains(code) ? "UNKNOWN" : name(code))
            .contains("the test wants it so");
      }
      assertThat(rule.hits()).isEqualTo(2);
      assertThat(node.target(VOLUME, "web"))
          .as("D11: and changes nothing")
          .isEqualTo(PathStatus.PRESENT);
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.PRESENT);
      rule.close();
      node.restartPlugins(); // Somebody has repaired it: only then may it be called again.
      assertThat(node.get(node.engine().stats(usage("vol-1", "web"))).usage()).isNotEmpty();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  // ---- what both share

  private static Node node() {
    return Node.builder()
        .policy(Node.QUICK.toBuilder().attempts(ATTEMPTS).requireStagingMount(true).build())
        .open();
  }

  /** Lets the plugin answer as the row says; gives what does the work that is left for later. */
  private static Runnable misbehave(Node node, Row row) {
    if (row.code() == 0) {
      return lie(node, row);
    }
    Fault failure = Fault.fail(row.code(), "the test wants it so");
    Fault fault =
        switch (row.work()) {
          case DID -> Fault.apply().then(failure);
          case DID_NOT -> failure;
          case LATER -> Fault.applyLater(Duration.ofSeconds(1)).then(failure);
        };
    When when = When.calling(row.verb().operation()).ofVolume(VOLUME);
    var unused = node.plugin().inject(fault, row.isEvery() ? when : when.once());
    return () -> node.pluginClock().advance(Duration.ofSeconds(2));
  }

  /** OK, and nothing done, or not yet. */
  private static Runnable lie(Node node, Row row) {
    if (row.work() == Work.DID) {
      return () -> {};
    }
    List<Runnable> later = new CopyOnWriteArrayList<>();
    AtomicInteger calls = new AtomicInteger();
    TrickyEffects effects = node.effects();
    TrickyEffects.AtStaging put =
        (volume, path) -> {
          Effect honest =
              switch (row.verb()) {
                case STAGE -> () -> effects.honest().stage(volume, path);
                case UNSTAGE -> () -> effects.honest().unstage(volume, path);
                default -> () -> effects.honest().unpublish(volume, path);
              };
          lieOrWork(row, calls, later, honest);
        };
    switch (row.verb()) {
      case STAGE -> effects.whenStaging(put);
      case UNSTAGE -> effects.whenUnstaging(put);
      case UNPUBLISH -> effects.whenUnpublishing(put);
      case PUBLISH ->
          effects.whenPublishing(
              publication ->
                  lieOrWork(row, calls, later, () -> effects.honest().publish(publication)));
    }
    return () -> {
      effects.reform();
      later.forEach(Runnable::run);
    };
  }

  /** What an honest plugin does. */
  private interface Effect {
    void run() throws IOException;
  }

  private static void lieOrWork(Row row, AtomicInteger calls, List<Runnable> later, Effect honest)
      throws IOException {
    boolean lies = row.isEvery() || calls.getAndIncrement() == 0;
    if (!lies) {
      honest.run();
    } else if (row.work() == Work.LATER) {
      later.add(
          () -> {
            try {
              honest.run();
            } catch (IOException e) {
              // Too late: the directory is gone.
            }
          });
    }
  }

  private static void check(Node node, Row row, Expected expected, VolumeException failure) {
    assertThat(failure.code()).as(node.story()).isEqualTo(expected.code().orElseThrow());
    assertThat(failure.outcome()).as(node.story()).isEqualTo(expected.outcome().orElseThrow());
    assertThat(failure.operation()).isPresent();
    assertThat(failure.getMessage())
        .startsWith(expected.code().orElseThrow().label() + ": ")
        .contains("'vol-1'", "'fake.csi4j.example'", "default/vol-1", "'web'");
    if (row.code() != 0) {
      assertThat(failure.getMessage())
          .contains(row.verb().operation().rpcName())
          .contains(ILLEGAL.contains(row.code()) ? "UNKNOWN" : name(row.code()))
          .contains("the test wants it so");
      assertThat(failure.getCause()).isNotNull();
    }
  }

  /**
   * Where an operation has ended.
   *
   * @param calls all that was called, each with how it ended
   * @param staging how far the staging is
   * @param target how far the use is
   */
  private record End(List<String> calls, PathStatus staging, PathStatus target) {}

  private static End end(Node node) {
    return new End(node.calls(VOLUME), node.staging(VOLUME), node.target(VOLUME, "web"));
  }

  /** The plugin is well again, and the host asks for what waits for somebody: nothing is left. */
  private static void finish(Node node) {
    node.plugin().clearFaults();
    node.effects().reform();
    if (!node.engine().volumes().isEmpty()) {
      node.reconcile();
    }
    node.becomesClean();
  }
}
