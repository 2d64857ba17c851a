package io.csi4j.volume.internal.lifecycle;

import static io.csi4j.volume.internal.lifecycle.Walk.A;
import static io.csi4j.volume.internal.lifecycle.Walk.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.PathStatus;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may have a volume beside whom, and what is said to who may not: one row each. */
class AdmissionTest {

  private static final String ADMITTED = "admitted";

  private static Plan plan(AccessMode mode) {
    return new Plan(true, false, mode, "", "", "");
  }

  private static VolumeUse use(String workload) {
    return VolumeUse.of(VolumeKey.of("data"), WorkloadId.of(workload));
  }

  /** A volume of this mode that is used like this: {@code b}, {@code b reads}, {@code b GOING}. */
  private static VolumeRecord used(Plan plan, String... uses) {
    VolumeRecord record = VolumeRecord.fresh(Walk.IDENTITY, plan, Walk.PLACE);
    for (String each : uses) {
      String[] words = each.split(" ", -1);
      PathStatus status = PathStatus.PRESENT;
      boolean reads = false;
      for (int i = 1; i < words.length; i++) {
        if (words[i].equals("reads")) {
          reads = true;
        } else {
          status = PathStatus.valueOf(words[i]);
        }
      }
      record =
          record.withTarget(
              new TargetRecord(
                  use(words[0]),
                  reads,
                  new PathRecord(status, Optional.empty(), Optional.empty())));
    }
    return record;
  }

  private static Goal.Publish publish(VolumeUse usage, Plan plan, boolean readOnly) {
    return Walk.publish(usage, plan, readOnly);
  }

  private static String answer(VolumeRecord record, Goal.Publish goal) {
    return Admission.refusal(record, goal)
        .map(failure -> failure.code() + ": " + failure.seen())
        .orElse(ADMITTED);
  }

  @ParameterizedTest
  @CsvSource({
    "SINGLE_NODE_WRITER, one",
    "SINGLE_NODE_READER_ONLY, one",
    "SINGLE_NODE_SINGLE_WRITER, one",
    "MULTI_NODE_SINGLE_WRITER, one writer",
    "SINGLE_NODE_MULTI_WRITER, many",
    "MULTI_NODE_READER_ONLY, many",
    "MULTI_NODE_MULTI_WRITER, many"
  })
  void aModeHasRoomForOneForOneWriterOrForMany(AccessMode mode, String room) {
    Plan plan = plan(mode);
    VolumeRecord written = used(plan, "b");
    VolumeRecord read = used(plan, "b reads");
    String limit =
        switch (mode) {
          case SINGLE_NODE_READER_ONLY ->
              " admits one workload (MULTI_NODE_READER_ONLY admits several)";
          case MULTI_NODE_SINGLE_WRITER ->
              " admits one writer (besides it only readers; MULTI_NODE_MULTI_WRITER admits "
                  + "several writers)";
          default ->
              " admits one workload (SINGLE_NODE_MULTI_WRITER and MULTI_NODE_MULTI_WRITER admit"
                  + " several)";
        };
    String full = "VOLUME_IN_USE: access mode " + mode + limit + ", and the volume is held by ";
    String byOne = room.equals("one") ? full + "workload 'b'" : ADMITTED;
    String byWriter = room.equals("many") ? ADMITTED : full + "workload 'b'";

    assertThat(answer(written, publish(A, plan, false))).isEqualTo(byWriter);
    assertThat(answer(written, publish(A, plan, true))).isEqualTo(byOne);
    assertThat(answer(read, publish(A, plan, false))).isEqualTo(byOne);
    assertThat(answer(read, publish(A, plan, true))).isEqualTo(byOne);
    assertThat(answer(used(plan), publish(A, plan, false))).isEqualTo(ADMITTED);
    assertThat(answer(written, publish(B, plan, false))).isEqualTo(ADMITTED);
    assertThat(Admission.isForOne(publish(A, plan, false))).isEqualTo(!room.equals("many"));
  }

  @Test
  void aReaderThatAsksForAModeForOneLearnsTheModeThatAdmitsIt() {
    VolumeRecord written = used(plan(AccessMode.SINGLE_NODE_MULTI_WRITER), "b");

    assertThat(answer(written, publish(A, plan(AccessMode.SINGLE_NODE_READER_ONLY), true)))
        .isEqualTo(
            "VOLUME_IN_USE: access mode SINGLE_NODE_READER_ONLY admits one"
                + " workload (MULTI_NODE_READER_ONLY admits several), and the volume is"
                + " held by workload 'b'; it is mounted with SINGLE_NODE_MULTI_WRITER,"
                + " which admits several workloads: request that mode");
  }

  /** A use on record may have the volume whatever became of its mount; NONE has it as well. */
  @ParameterizedTest
  @EnumSource(
      value = PathStatus.class,
      names = {"GOING", "IN_DOUBT", "NONE"})
  void aUseThatIsNotThereHasTheVolumeAsLongAsItIsOnRecord(PathStatus status) {
    Plan plan = plan(AccessMode.SINGLE_NODE_WRITER);
    String note =
        Map.of(PathStatus.GOING, " (being released)", PathStatus.IN_DOUBT, " (uncertain)")
            .getOrDefault(status, "");

    assertThat(answer(used(plan, "b " + status), publish(A, plan, false)))
        .isEqualTo(
            "VOLUME_IN_USE: access mode SINGLE_NODE_WRITER admits one workload"
                + " (SINGLE_NODE_MULTI_WRITER and MULTI_NODE_MULTI_WRITER admit several), and the"
                + " volume is held by workload 'b'"
                + note);
  }

  static Stream<Arguments> differing() {
    Plan plan = plan(AccessMode.MULTI_NODE_MULTI_WRITER);
    Plan attached = plan.attached("one");
    Goal.Publish other = publish(A, plan.attached("other"), false);
    Goal.Publish withContext = Walk.publish(A, plan, false, "new");
    VolumeRecord known = used(plan, "a").withContext(A, Walk.digest("old"));
    VolumeRecord doubted = used(plan, "a IN_DOUBT").withContext(A, Walk.digest("old"));
    String byA = "OPTIONS_DIFFER: it is used in another way by this workload; these differ: ";
    return Stream.of(
        Arguments.of("the same way", used(plan, "a"), publish(A, plan, false), ADMITTED),
        Arguments.of(
            "several parts",
            used(new Plan(true, true, AccessMode.SINGLE_NODE_MULTI_WRITER, "xfs", "", ""), "b"),
            publish(A, plan, false),
            "OPTIONS_DIFFER: it is used in another way by workload 'b'; these differ:"
                + " access type (it has block, this request filesystem), access mode (it has"
                + " SINGLE_NODE_MULTI_WRITER, this request MULTI_NODE_MULTI_WRITER), filesystem (it"
                + " has 'xfs', this request none)"),
        Arguments.of(
            "another label than the one that it is mounted with",
            used(plan.labelled("u:r:t:s0:c1"), "b"),
            publish(A, plan.labelled("u:r:t:s0:c2"), false),
            "OPTIONS_DIFFER: it is used in another way by workload 'b'; these differ: SELinux label"
                + " (it has 'u:r:t:s0:c1', this request 'u:r:t:s0:c2')"),
        Arguments.of(
            "a label, where it is mounted without one",
            used(plan, "b"),
            publish(A, plan.labelled("u:r:t:s0:c2"), false),
            "OPTIONS_DIFFER: it is used in another way by workload 'b'; these differ: SELinux label"
                + " (it has none, this request 'u:r:t:s0:c2')"),
        Arguments.of(
            "another way than that of a volume without uses",
            used(new Plan(true, true, AccessMode.SINGLE_NODE_WRITER, "", "", "")),
            publish(A, plan, false),
            ADMITTED),
        Arguments.of(
            "six others: five are named",
            used(plan.attached("one"), "b", "c", "d", "e GOING", "f IN_DOUBT", "g"),
            other,
            "OPTIONS_DIFFER: it is used in another way by workload 'b', workload 'c', workload 'd',"
                + " workload 'e' (being released), workload 'f' (uncertain); these differ: publish"
                + " context (not shown, as it may hold secrets)"),
        Arguments.of(
            "reading, where the same use may write",
            used(plan, "a"),
            publish(A, plan, true),
            byA + "read-only (it has false, this request true)"),
        Arguments.of(
            "writing, where the same use may only read",
            used(plan, "a reads"),
            publish(A, plan, false),
            byA + "read-only (it has true, this request false)"),
        Arguments.of(
            "reading, where another use writes", used(plan, "b"), publish(A, plan, true), ADMITTED),
        Arguments.of(
            "reading, where the same use may have written and is in doubt",
            used(plan, "a IN_DOUBT"),
            publish(A, plan, true),
            "OPTIONS_DIFFER: it is used in another way by this workload (uncertain); these differ:"
                + " read-only (it has false, this request true)"),
        Arguments.of(
            "reading, where the same use wrote and is being given up",
            used(plan, "a GOING"),
            publish(A, plan, true),
            ADMITTED),
        Arguments.of(
            "attached otherwise than what is there",
            used(attached, "a"),
            other,
            byA + "publish context (not shown, as it may hold secrets)"),
        Arguments.of(
            "attached otherwise than what is nowhere for certain",
            used(attached, "a IN_DOUBT"),
            other,
            ADMITTED),
        Arguments.of(
            "attached otherwise, for a workload that is running",
            used(attached, "a"),
            other.keeping(),
            ADMITTED),
        Arguments.of(
            "another context",
            known,
            withContext,
            byA + "volume context (not shown, as it may hold secrets)"),
        Arguments.of(
            "another context than that of another use", used(plan, "b"), withContext, ADMITTED),
        Arguments.of("another context of what is in doubt", doubted, withContext, ADMITTED),
        Arguments.of(
            "another context, for a workload that is running",
            known,
            withContext.keeping(),
            ADMITTED),
        Arguments.of("a context, where none is known", used(plan, "a"), withContext, ADMITTED),
        Arguments.of(
            "no context, where there is one",
            known,
            publish(A, plan, false),
            byA + "volume context (not shown, as it may hold secrets)"),
        Arguments.of(
            "the same context", known.withContext(A, Walk.digest("new")), withContext, ADMITTED));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("differing")
  void anotherWayOfUseIsRefusedWithBothValuesOfItsParts(
      String name, VolumeRecord record, Goal.Publish goal, String answer) {
    assertThat(answer(record, goal)).as(name).isEqualTo(answer);
  }
}
