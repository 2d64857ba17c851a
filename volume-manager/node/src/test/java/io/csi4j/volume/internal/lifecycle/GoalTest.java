package io.csi4j.volume.internal.lifecycle;

import static io.csi4j.volume.internal.lifecycle.Walk.A;
import static io.csi4j.volume.internal.lifecycle.Walk.B;
import static io.csi4j.volume.internal.lifecycle.Walk.fails;
import static io.csi4j.volume.internal.lifecycle.Walk.fromNothing;
import static io.csi4j.volume.internal.lifecycle.Walk.fromUsedBy;
import static io.csi4j.volume.internal.lifecycle.Walk.plan;
import static io.csi4j.volume.internal.lifecycle.Walk.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is wanted of a volume: by a request, by the background, and no more. */
class GoalTest {

  private static final String RED = "system_u:object_r:file_t:s0:c1,c2";
  private static final String BLUE = "system_u:object_r:file_t:s0:c3,c4";

  private static VolumeRecord record(PathStatus a, PathStatus b) {
    return fromUsedBy(A, B)
        .record()
        .withTarget(new TargetRecord(A, false, PathRecord.NONE.as(a)))
        .withTarget(new TargetRecord(B, false, PathRecord.NONE.as(b)));
  }

  @Test
  void theBackgroundReleasesTheFirstUseThatGoesAndMay() {
    VolumeRecord both = record(PathStatus.GOING, PathStatus.GOING);

    assertThat(Goal.owed(both, use -> true)).contains(new Goal.Release(A));
    assertThat(Goal.owed(both, use -> !use.equals(A))).contains(new Goal.Release(B));
    assertThat(Goal.owed(both, use -> false)).isEmpty();
    assertThat(Goal.owed(record(PathStatus.IN_DOUBT, PathStatus.GOING), use -> true))
        .contains(new Goal.Release(B));
    assertThat(Goal.owed(record(PathStatus.PRESENT, PathStatus.IN_DOUBT), use -> true)).isEmpty();
    assertThat(Goal.owed(fromUsedBy().record(), use -> false)).contains(new Goal.Settle());
  }

  @Test
  void aVolumeInUseUnderTheOlderModeIsAskedForUnderThatMode() {
    VolumeRecord older = known(AccessMode.SINGLE_NODE_WRITER);

    assertThat(mode(AccessMode.SINGLE_NODE_SINGLE_WRITER, older))
        .isEqualTo(AccessMode.SINGLE_NODE_WRITER);
    assertThat(mode(AccessMode.SINGLE_NODE_SINGLE_WRITER, older.without(A)))
        .as("the next use decides")
        .isEqualTo(AccessMode.SINGLE_NODE_SINGLE_WRITER);
    assertThat(
            mode(AccessMode.SINGLE_NODE_SINGLE_WRITER, known(AccessMode.SINGLE_NODE_SINGLE_WRITER)))
        .isEqualTo(AccessMode.SINGLE_NODE_SINGLE_WRITER);
    assertThat(mode(AccessMode.MULTI_NODE_MULTI_WRITER, older))
        .isEqualTo(AccessMode.MULTI_NODE_MULTI_WRITER);
    assertThat(Goal.Publish.mode(request(AccessMode.SINGLE_NODE_MULTI_WRITER), Optional.empty()))
        .isEqualTo(AccessMode.SINGLE_NODE_MULTI_WRITER);
  }

  private static VolumeRecord known(AccessMode mode) {
    return fromUsedBy(A).record().with(new Plan(true, false, mode, "", "", ""));
  }

  private static MountRequest request(AccessMode mode) {
    return MountRequest.builder(Walk.IDENTITY.plugin(), A, Walk.IDENTITY.handle(), mode).build();
  }

  private static AccessMode mode(AccessMode asked, VolumeRecord known) {
    return Goal.Publish.mode(request(asked), Optional.of(known));
  }

  private static MountRequest.Builder labelled() {
    return request(AccessMode.SINGLE_NODE_WRITER).toBuilder()
        .selinuxLabel(SelinuxLabel.of(RED))
        .groupIfOffered("1000");
  }

  private static Optional<VolumeRecord> known(String label, String group) {
    return Optional.of(
        fromUsedBy(A).record().with(plan(true, false).labelled(label).grouped(group)));
  }

  /** The label and the group that the plugin is given. */
  private static List<String> given(
      MountRequest.Builder request, Optional<VolumeRecord> known, boolean isTaken) {
    MountRequest wanted = request.build();
    return List.of(
        Goal.Publish.label(wanted, known, isTaken), Goal.Publish.group(wanted, known, isTaken));
  }

  @Test
  void theFirstUseHasItsLabelAndGroupIfThePluginTakesThem() {
    assertThat(given(labelled(), Optional.empty(), true)).containsExactly(RED, "1000");
    assertThat(given(labelled(), Optional.empty(), false)).containsExactly("", "");
    assertThat(given(labelled().block(true), Optional.empty(), true)).containsExactly("", "");
    assertThat(given(labelled(), known("", "").map(record -> record.without(A)), true))
        .as("after the last use")
        .containsExactly(RED, "1000");
    assertThat(
            given(
                labelled(),
                known("", "").map(record -> record.with(Plan.unknown(Walk.IDENTITY))),
                true))
        .as("where nobody knows how it is mounted")
        .containsExactly(RED, "1000");
  }

  @Test
  void theLabelAndTheGroupOfAVolumeInUseAreKeptOrRefused() {
    MountRequest.Builder plain = request(AccessMode.SINGLE_NODE_WRITER).toBuilder();

    assertThat(given(labelled(), known("", ""), true)).containsExactly("", "");
    assertThat(given(plain, known(BLUE, "2000"), true)).containsExactly(BLUE, "2000");
    assertThat(given(labelled(), known(BLUE, "2000"), true))
        .as("for the refusal to name them")
        .containsExactly(RED, "1000");
  }

  @Test
  void mountOptionsDecideTheLabelAndTheGroup() {
    MountOptions blue =
        SelinuxLabel.of(BLUE).addedTo(MountOptions.none().withVolumeMountGroup("2000"));

    assertThat(given(labelled().requestOptions(blue), Optional.empty(), false))
        .containsExactly(BLUE, "2000");
    assertThat(given(labelled().requestOptions(blue), known("", ""), true))
        .containsExactly(BLUE, "2000");
  }

  @Test
  void aClaimThatSaysHowItIsMountedDecidesTheLabelAndTheGroup() {
    ClaimGrant claim =
        new ClaimGrant(
            A,
            NodeName.of("n1"),
            1,
            ClaimMode.WRITE,
            PublishContext.empty(),
            Optional.of(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER)),
            false);

    assertThat(given(labelled().claim(claim), Optional.empty(), true)).containsExactly("", "");
  }

  @Test
  void aGoalNamesTheUseThatItIsAbout() {
    assertThat(publish(A).use()).contains(A);
    assertThat(new Goal.Release(A).use()).contains(A);
    assertThat(new Goal.Abandon(A, "sold").use()).contains(A);
    assertThat(new Goal.Withdraw(Optional.of(A)).use()).contains(A);
    assertThat(new Goal.Withdraw(Optional.empty()).use()).isEmpty();
    assertThat(new Goal.Settle().use()).isEmpty();
  }

  @Test
  void aMountThatIsNotWantedAnyMoreIsLeftBeforeACallAPauseAndAQuestionAndNowhereElse() {
    assertThat(
            fromNothing()
                .at("PUBLISH", 1, fails(StatusCode.INTERNAL))
                .leavable(Walk.under(7, publish(A))))
        .containsExactly(
            "confirm 7", "STAGE", "confirm 7", "PUBLISH", "pause", "confirm 7", "PUBLISH");
    assertThat(fromNothing().always("PUBLISH", fails(StatusCode.OUT_OF_RANGE)).leavable(publish(A)))
        .as("not on its way back")
        .containsExactly("STAGE", "PUBLISH");
    assertThat(fromNothing().leavable(publish(A).keeping()))
        .as("not for a workload that is running")
        .isEmpty();
    assertThat(fromUsedBy(A).leavable(new Goal.Release(A))).isEmpty();
  }

  @Test
  void itIsToldWhatIsBeingDone() {
    assertThat(fromUsedBy(A, B).doing(new Goal.Release(A)))
        .containsExactly(
            "reading the mount table",
            "saving its progress",
            "waiting for the plugin to unpublish it",
            "checking whether it is unpublished",
            "removing directories",
            "saving its progress");
  }

  @Test
  void theFirstReasonThatBarsAPluginStays() {
    Failure first = Failure.of(OperatorCode.PLUGIN_UNHEALTHY, "it is unhealthy");
    Failure second = Failure.of(OperatorCode.PLUGIN_NOT_UP, "it is down");
    Situation free =
        new Situation(
            Walk.PLACE,
            "plugin-1",
            MountPolicy.defaults(),
            Set.<Optional<VolumeUse>>of(),
            Set.of(),
            Set.of(),
            Optional.empty(),
            0);

    assertThat(free.barredBy(Optional.empty())).isEqualTo(free);
    assertThat(free.barredBy(Optional.of(first)).barred()).contains(first);
    assertThat(free.barredBy(Optional.of(first)).barredBy(Optional.of(second)).barred())
        .contains(first);
    assertThat(free.barredBy(Optional.of(first)).barredBy(Optional.empty()).barred())
        .contains(first);
  }
}
