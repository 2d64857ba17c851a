package io.csi4j.volume.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may claim a volume next to whom, beside a table that counts instead of comparing. */
class ClaimRulesTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");
  private static final Instant BEFORE = NOW.minusSeconds(40);
  private static final VolumeKey VOLUME = VolumeKey.of("db");
  private static final List<ClaimHolder.State> WAY_BACK =
      List.of(
          ClaimHolder.State.TAKEN,
          ClaimHolder.State.UNPUBLISHING,
          ClaimHolder.State.NODE_DETACHED,
          ClaimHolder.State.CONTROLLER_DETACHED,
          ClaimHolder.State.READY_TO_FREE);
  private static final int ANY = Integer.MAX_VALUE;
  private static final AccessMode SHARED = AccessMode.MULTI_NODE_MULTI_WRITER;
  private static final NodeId NAMED = NodeId.of("i-1");

  private static ClaimDecision decide(Claim claim, ClaimRequest wish, Instant now) {
    return ClaimRules.claim(claim, wish, wish.statedOptions(), false, now);
  }

  /** What an access mode has room for. */
  private record Room(int nodes, int holders, int writers) {}

  private static Room room(AccessMode mode) {
    return switch (mode) {
      case SINGLE_NODE_WRITER, SINGLE_NODE_SINGLE_WRITER -> new Room(1, 1, 1);
      case SINGLE_NODE_READER_ONLY -> new Room(1, 1, 0);
      case SINGLE_NODE_MULTI_WRITER -> new Room(1, ANY, ANY);
      case MULTI_NODE_READER_ONLY -> new Room(ANY, ANY, 0);
      case MULTI_NODE_SINGLE_WRITER -> new Room(ANY, ANY, 1);
      case MULTI_NODE_MULTI_WRITER -> new Room(ANY, ANY, ANY);
      case UNSPECIFIED, UNRECOGNIZED -> new Room(0, 0, 0);
    };
  }

  private static boolean fits(Room room, List<ClaimHolder> holders) {
    Set<NodeName> nodes = holders.stream().map(ClaimHolder::node).collect(Collectors.toSet());
    long writers = holders.stream().filter(each -> each.mode() == ClaimMode.WRITE).count();
    return nodes.size() <= room.nodes()
        && holders.size() <= room.holders()
        && writers <= room.writers();
  }

  static Stream<AccessMode> modes() {
    return Arrays.stream(AccessMode.values()).filter(AccessMode::isStated);
  }

  private static ClaimHolder holder(
      String workload, String node, ClaimMode mode, ClaimHolder.State state) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of(node),
        Optional.empty(),
        mode,
        state,
        1,
        BEFORE,
        new ClaimHolder.Attachment.NotNeeded());
  }

  private static Claim held(AccessMode mode, ClaimHolder... holders) {
    return Arrays.stream(holders)
        .reduce(
            Claim.none(VOLUME),
            (claim, holder) -> claim.with(holder, new Claim.Use(mode, AttachmentMode.FILESYSTEM)),
            (a, b) -> b);
  }

  private static ClaimRequest wish(String workload, String node, AccessMode mode, ClaimMode what) {
    return ClaimRequest.builder(
            VolumeUse.of(VOLUME, WorkloadId.of(workload)),
            NodeName.of(node),
            new Claim.Use(mode, AttachmentMode.FILESYSTEM),
            what)
        .build();
  }

  /** All ways in which up to two others can hold a volume, whether they fit together or not. */
  private static List<List<ClaimHolder>> crowds() {
    List<ClaimHolder> first = new ArrayList<>();
    List<ClaimHolder> second = new ArrayList<>();
    for (String node : List.of("n1", "n2")) {
      for (ClaimMode mode : ClaimMode.values()) {
        for (ClaimHolder.State state : ClaimHolder.State.values()) {
          first.add(holder("a", node, mode, state));
          second.add(holder("b", node, mode, state));
        }
      }
    }
    List<List<ClaimHolder>> crowds = new ArrayList<>();
    crowds.add(List.of());
    for (ClaimHolder one : first) {
      crowds.add(List.of(one));
      for (ClaimHolder other : second) {
        crowds.add(List.of(one, other));
      }
    }
    return crowds;
  }

  @ParameterizedTest
  @MethodSource("modes")
  @Tag("D-43")
  @Tag("D-45")
  @Tag("D-46")
  void nomad12112_aClaimIsGrantedExactlyWhereThereIsRoom(AccessMode mode) {
    int granted = 0;
    int refused = 0;
    for (List<ClaimHolder> crowd : crowds()) {
      if (!fits(room(mode), crowd)) {
        continue;
      }
      Claim claim = held(mode, crowd.toArray(ClaimHolder[]::new));
      for (String node : List.of("n1", "n2")) {
        for (ClaimMode what : ClaimMode.values()) {
          List<ClaimHolder> together = new ArrayList<>(crowd);
          together.add(holder("new", node, what, ClaimHolder.State.TAKEN));
          ClaimDecision decision = decide(claim, wish("new", node, mode, what), NOW);
          if (fits(room(mode), together)) {
            granted++;
            assertThat(decision).as("%s beside %s", together, crowd).isInstanceOf(Granted.class);
            assertThat(((Granted) decision).next().holders()).hasSize(together.size());
          } else {
            refused++;
            assertThat(((Refused) decision).code())
                .as("%s beside %s", together, crowd)
                .isEqualTo(
                    what == ClaimMode.WRITE && !mode.isWritable()
                        ? OperatorCode.CLAIM_READ_ONLY
                        : OperatorCode.CLAIM_HELD_BY);
          }
        }
      }
    }
    assertThat(granted).isPositive();
    assertThat(refused > 0).isEqualTo(mode != AccessMode.MULTI_NODE_MULTI_WRITER);
  }

  @Test
  @Tag("D-54")
  void aRefusalNamesTheHolderItsNodeStateAndAge() {
    Claim claim =
        held(
            AccessMode.SINGLE_NODE_MULTI_WRITER,
            holder("web", "n1", ClaimMode.WRITE, ClaimHolder.State.UNPUBLISHING));

    ClaimDecision decision =
        decide(claim, wish("job", "n2", AccessMode.SINGLE_NODE_MULTI_WRITER, ClaimMode.READ), NOW);

    assertThat(decision)
        .isEqualTo(
            new Refused(
                OperatorCode.CLAIM_HELD_BY,
                claim.holder(WorkloadId.of("web")),
                new ReasonText(
                    "access mode SINGLE_NODE_MULTI_WRITER admits one node (MULTI_NODE_READER_ONLY"
                        + " admits readers on several, and MULTI_NODE_MULTI_WRITER also writers),"
                        + " and the volume is held by workload 'web' on node 'n1' (WRITE,"
                        + " UNPUBLISHING, since 40 s)")));
    assertThat(
            decide(
                claim, wish("job", "n1", AccessMode.SINGLE_NODE_MULTI_WRITER, ClaimMode.READ), NOW))
        .as("on the same node")
        .isInstanceOf(Granted.class);
  }

  @ParameterizedTest
  @CsvSource({
    "SINGLE_NODE_WRITER, n1, one workload (SINGLE_NODE_MULTI_WRITER and MULTI_NODE_MULTI_WRITER"
        + " admit several)",
    "SINGLE_NODE_SINGLE_WRITER, n1, one workload (SINGLE_NODE_MULTI_WRITER and"
        + " MULTI_NODE_MULTI_WRITER admit several)",
    "SINGLE_NODE_READER_ONLY, n1, one workload (MULTI_NODE_READER_ONLY admits several)",
    "SINGLE_NODE_WRITER, n2, 'one node (MULTI_NODE_READER_ONLY admits readers on several, and"
        + " MULTI_NODE_MULTI_WRITER also writers)'",
    "SINGLE_NODE_READER_ONLY, n2, 'one node (MULTI_NODE_READER_ONLY admits readers on several, and"
        + " MULTI_NODE_MULTI_WRITER also writers)'",
    "MULTI_NODE_SINGLE_WRITER, n1, 'one writer (besides it only readers; MULTI_NODE_MULTI_WRITER "
        + "admits several writers)'",
    "MULTI_NODE_SINGLE_WRITER, n2, 'one writer (besides it only readers; MULTI_NODE_MULTI_WRITER "
        + "admits several writers)'"
  })
  void aRefusalNamesTheLimitOfTheModeAndTheModesBeyondIt(
      AccessMode mode, String node, String limit) {
    ClaimMode what = mode.isWritable() ? ClaimMode.WRITE : ClaimMode.READ;
    ClaimHolder holder = holder("web", "n1", what, ClaimHolder.State.TAKEN);

    assertThat(decide(held(mode, holder), wish("job", node, mode, what), NOW))
        .isEqualTo(
            new Refused(
                OperatorCode.CLAIM_HELD_BY,
                Optional.of(holder),
                new ReasonText(
                    "access mode "
                        + mode
                        + " admits "
                        + limit
                        + ", and the volume is held by workload 'web' on node 'n1' ("
                        + what
                        + ", TAKEN, since 40 s)")));
  }

  @ParameterizedTest
  @MethodSource("modes")
  @Tag("D-44")
  void theSameClaimAgainChangesNothing(AccessMode mode) {
    Claim claim = held(mode, holder("web", "n1", ClaimMode.READ, ClaimHolder.State.TAKEN));

    assertThat(decide(claim, wish("web", "n1", mode, ClaimMode.READ), NOW))
        .isEqualTo(new Granted(claim, false));
  }

  @ParameterizedTest
  @EnumSource(value = ClaimHolder.State.class, mode = EnumSource.Mode.EXCLUDE, names = "TAKEN")
  @Tag("D-48")
  void aClaimOnItsWayBackIsNotTurnedRound(ClaimHolder.State state) {
    AccessMode mode = AccessMode.MULTI_NODE_MULTI_WRITER;
    Claim claim = held(mode, holder("web", "n1", ClaimMode.WRITE, state));

    assertThat(code(decide(claim, wish("web", "n1", mode, ClaimMode.WRITE), NOW)))
        .isEqualTo(OperatorCode.CLAIM_BEING_RELEASED);
    assertThat(code(ClaimRules.change(claim, WorkloadId.of("web"), ClaimMode.READ, NOW)))
        .isEqualTo(OperatorCode.CLAIM_BEING_RELEASED);
  }

  @Test
  @Tag("D-48")
  void readingBecomesWritingOnlyByAChangeThatFits() {
    AccessMode mode = AccessMode.MULTI_NODE_SINGLE_WRITER;
    ClaimHolder web = holder("web", "n1", ClaimMode.READ, ClaimHolder.State.TAKEN);
    Claim alone = held(mode, web);
    Claim besideWriter =
        held(mode, web, holder("job", "n2", ClaimMode.WRITE, ClaimHolder.State.TAKEN));

    assertThat(code(decide(alone, wish("web", "n1", mode, ClaimMode.WRITE), NOW)))
        .isEqualTo(OperatorCode.CLAIM_CHANGE_NEEDED);
    assertThat(ClaimRules.change(alone, web.workload(), ClaimMode.WRITE, NOW))
        .isEqualTo(
            new Granted(
                held(mode, holder("web", "n1", ClaimMode.WRITE, ClaimHolder.State.TAKEN)), true));
    assertThat(code(ClaimRules.change(besideWriter, web.workload(), ClaimMode.WRITE, NOW)))
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
    assertThat(ClaimRules.change(alone, web.workload(), ClaimMode.READ, NOW))
        .isEqualTo(new Granted(alone, false));
    assertThat(code(ClaimRules.change(alone, WorkloadId.of("nobody"), ClaimMode.READ, NOW)))
        .isEqualTo(OperatorCode.CLAIM_MISSING);
  }

  @Test
  void aWorkloadHasAVolumeOnOneNode() {
    AccessMode mode = AccessMode.MULTI_NODE_MULTI_WRITER;
    Claim claim = held(mode, holder("web", "n1", ClaimMode.WRITE, ClaimHolder.State.TAKEN));

    assertThat(code(decide(claim, wish("web", "n2", mode, ClaimMode.WRITE), NOW)))
        .isEqualTo(OperatorCode.CLAIM_HELD_BY);
  }

  @Test
  void theFirstHolderSaysHowTheVolumeIsUsed() {
    Claim claim =
        held(
            AccessMode.MULTI_NODE_MULTI_WRITER,
            holder("web", "n1", ClaimMode.WRITE, ClaimHolder.State.TAKEN));
    ClaimRequest asDevice =
        ClaimRequest.builder(
                VolumeUse.of(VOLUME, WorkloadId.of("job")),
                NodeName.of("n1"),
                new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.BLOCK),
                ClaimMode.READ)
            .build();

    assertThat(decide(claim, asDevice, NOW))
        .isEqualTo(
            new Refused(
                OperatorCode.CLAIM_OTHER_USE,
                claim.holder(WorkloadId.of("web")),
                new ReasonText(
                    "it is used as MULTI_NODE_MULTI_WRITER by workload 'web' on node 'n1' (WRITE,"
                        + " TAKEN, since 40 s), but requested as MULTI_NODE_MULTI_WRITER as a block"
                        + " device")));
    assertThat(claim.without(WorkloadId.of("web")).use()).isEmpty();
  }

  @Test
  @Tag("D-47")
  void anExhaustedStorageSystemIsTriedAgainWhenItsTimeIsOver() {
    AccessMode mode = AccessMode.MULTI_NODE_MULTI_WRITER;
    Claim claim =
        held(mode, holder("web", "n1", ClaimMode.WRITE, ClaimHolder.State.TAKEN))
            .exhausted(Optional.of(NOW.plusSeconds(30)));
    ClaimRequest wish = wish("job", "n1", mode, ClaimMode.READ);

    assertThat(decide(claim, wish, NOW))
        .isEqualTo(
            new Refused(
                OperatorCode.CLAIM_EXHAUSTED,
                Optional.empty(),
                new ReasonText(
                    "its storage system has no capacity for another claim; the next attempt is "
                        + "in 30"
                        + " s")));
    assertThat(decide(claim, wish, NOW.plusSeconds(30))).isInstanceOf(Granted.class);
    assertThat(decide(claim, wish("web", "n1", mode, ClaimMode.WRITE), NOW))
        .as("who holds it already")
        .isEqualTo(new Granted(claim, false));
  }

  @Test
  void aClaimMovesDownTheStatesAndNeverUp() {
    for (ClaimHolder.State from : ClaimHolder.State.values()) {
      for (ClaimHolder.State to : ClaimHolder.State.values()) {
        Claim claim =
            held(AccessMode.SINGLE_NODE_WRITER, holder("web", "n1", ClaimMode.WRITE, from));
        boolean isForward = WAY_BACK.indexOf(to) > WAY_BACK.indexOf(from);

        Granted granted = (Granted) ClaimRules.advance(claim, WorkloadId.of("web"), to, NOW);

        assertThat(granted.changes()).as("%s -> %s", from, to).isEqualTo(isForward);
        assertThat(granted.next().holder(WorkloadId.of("web")).orElseThrow().state())
            .isEqualTo(isForward ? to : from);
      }
    }
  }

  @Test
  @Tag("D-49")
  void givingBackWhatNobodyHasChangesNothing() {
    Claim claim = Claim.none(VOLUME);

    assertThat(
            ClaimRules.advance(claim, WorkloadId.of("web"), ClaimHolder.State.READY_TO_FREE, NOW))
        .isEqualTo(new Granted(claim, false));
    assertThat(ClaimRules.forget(claim, WorkloadId.of("web"), NOW))
        .isEqualTo(new Granted(claim, false));
  }

  @ParameterizedTest
  @EnumSource(ClaimHolder.State.class)
  @Tag("D-50")
  void onlyAClaimOfWhichNothingIsOwedIsForgotten(ClaimHolder.State state) {
    Claim claim = held(AccessMode.SINGLE_NODE_WRITER, holder("web", "n1", ClaimMode.WRITE, state));

    ClaimDecision decision = ClaimRules.forget(claim, WorkloadId.of("web"), NOW);

    if (state == ClaimHolder.State.READY_TO_FREE) {
      Granted granted = (Granted) decision;
      assertThat(granted.next())
          .isEqualTo(
              new Claim(VOLUME, Optional.empty(), new TreeMap<>(), 1, Optional.empty())
                  .lastUsed(NOW));
    } else {
      assertThat(code(decision)).isEqualTo(OperatorCode.CLAIM_NOT_FREE);
    }
  }

  @Test
  void eachClaimHasAHigherEpochThanAllBeforeIt() {
    AccessMode mode = AccessMode.SINGLE_NODE_WRITER;
    Claim first = next(decide(Claim.none(VOLUME), wish("a", "n1", mode, ClaimMode.WRITE), NOW));
    Claim free =
        next(
            ClaimRules.forget(
                ((Granted)
                        ClaimRules.advance(
                            first, WorkloadId.of("a"), ClaimHolder.State.READY_TO_FREE, NOW))
                    .next(),
                WorkloadId.of("a"),
                NOW));
    Claim second = next(decide(free, wish("a", "n2", mode, ClaimMode.WRITE), NOW));

    assertThat(first.holder(WorkloadId.of("a")).orElseThrow().epoch()).isEqualTo(1);
    assertThat(free.epoch()).isEqualTo(1);
    assertThat(second.holder(WorkloadId.of("a")).orElseThrow().epoch()).isEqualTo(2);
  }

  @Test
  @Tag("D-42")
  @SuppressWarnings("NullAway") // on purpose
  void nothingIsNoMode() {
    assertThatNullPointerException()
        .isThrownBy(() -> wish("a", "n1", AccessMode.SINGLE_NODE_WRITER, null))
        .withMessage("mode");
    Claim claim =
        next(
            decide(
                Claim.none(VOLUME),
                wish("a", "n1", AccessMode.SINGLE_NODE_WRITER, ClaimMode.WRITE),
                NOW));
    assertThatNullPointerException()
        .isThrownBy(() -> claim.holder(WorkloadId.of("a")).orElseThrow().doing(null))
        .withMessage("mode");
  }

  @Test
  void aClaimWithoutAnAccessModeOfTheSpecCannotBeMade() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Claim.Use(AccessMode.UNSPECIFIED, AttachmentMode.FILESYSTEM))
        .withMessage("A claim needs an access mode of the spec, not UNSPECIFIED.");
  }

  @Test
  void noChangeMakesAWriterOfAReaderWhoseModeIsForReading() {
    AccessMode mode = AccessMode.MULTI_NODE_READER_ONLY;
    Claim claim = held(mode, holder("web", "n1", ClaimMode.READ, ClaimHolder.State.TAKEN));

    assertThat(ClaimRules.change(claim, WorkloadId.of("web"), ClaimMode.WRITE, NOW))
        .isEqualTo(
            new Refused(
                OperatorCode.CLAIM_READ_ONLY,
                Optional.empty(),
                new ReasonText(
                    "writing is not allowed with the access mode MULTI_NODE_READER_ONLY")));
  }

  // ---- what the attachment of a node allows

  private static ClaimHolder attaching(
      String workload, String node, ClaimHolder.State state, Optional<MountOptions> options) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of(node),
        Optional.of(NAMED),
        ClaimMode.WRITE,
        state,
        1,
        BEFORE,
        new ClaimHolder.Attachment.InDoubt(),
        options);
  }

  /** Whose plugin was told that nobody writes reads beside nobody who writes, on any node. */
  @ParameterizedTest
  @ValueSource(strings = {"n1", "n2"})
  void aReaderOfAVolumeThatNobodyWritesIsNotBesideAWriterAndIsIfItKnowsOfOne(String node) {
    AccessMode nobodyWrites = AccessMode.MULTI_NODE_READER_ONLY;
    AccessMode oneWrites = AccessMode.MULTI_NODE_SINGLE_WRITER;
    ClaimHolder writer = holder("writer", "n1", ClaimMode.WRITE, ClaimHolder.State.TAKEN);
    ClaimHolder reader = holder("reader", "n1", ClaimMode.READ, ClaimHolder.State.TAKEN);

    assertThat(
            decide(held(oneWrites, writer), wish("new", node, nobodyWrites, ClaimMode.READ), NOW))
        .isEqualTo(
            new Refused(
                OperatorCode.CLAIM_OTHER_USE,
                Optional.of(writer),
                new ReasonText(
                    "it is used as MULTI_NODE_SINGLE_WRITER by workload 'writer' on node 'n1'"
                        + " (WRITE, TAKEN, since 40 s), but requested as MULTI_NODE_READER_ONLY")));
    assertThat(decide(held(oneWrites, writer), wish("new", node, oneWrites, ClaimMode.READ), NOW))
        .isInstanceOf(Granted.class);
    assertThat(
            code(
                decide(
                    held(nobodyWrites, reader),
                    wish("new", node, oneWrites, ClaimMode.WRITE),
                    NOW)))
        .isEqualTo(OperatorCode.CLAIM_OTHER_USE);
    assertThat(
            code(
                decide(
                    held(nobodyWrites, reader), wish("new", node, oneWrites, ClaimMode.READ), NOW)))
        .isEqualTo(OperatorCode.CLAIM_OTHER_USE);
    assertThat(
            decide(
                held(nobodyWrites, reader), wish("new", node, nobodyWrites, ClaimMode.READ), NOW))
        .isInstanceOf(Granted.class);
  }

  private static ClaimDecision besides(
      ClaimHolder holder, String node, NodeId id, Optional<MountOptions> options) {
    ClaimRequest wish =
        ClaimRequest.builder(
                VolumeUse.of(VOLUME, WorkloadId.of("new")),
                NodeName.of(node),
                new Claim.Use(SHARED, AttachmentMode.FILESYSTEM),
                ClaimMode.WRITE)
            .nodeId(id)
            .build();
    return ClaimRules.claim(held(SHARED, holder), wish, options, true, NOW);
  }

  @Test
  void anAttachmentIsSharedOnlyWithMountOptionsThatAreNotKnownToDiffer() {
    Optional<MountOptions> none = Optional.of(MountOptions.none());
    Optional<MountOptions> ext4 =
        Optional.of(new MountOptions(Optional.of("ext4"), Optional.empty(), Optional.empty()));
    ClaimHolder withExt4 = attaching("web", "n1", ClaimHolder.State.TAKEN, ext4);
    ClaimHolder unknown = attaching("web", "n1", ClaimHolder.State.TAKEN, Optional.empty());

    assertThat(besides(withExt4, "n1", NAMED, none))
        .isEqualTo(
            new Refused(
                OperatorCode.ATTACHED_OTHERWISE,
                Optional.of(withExt4),
                new ReasonText(
                    "that node has it with other mount options for workload 'web' on node 'n1'"
                        + " (WRITE, TAKEN, since 40 s)")));
    assertThat(besides(withExt4, "n1", NAMED, ext4)).isInstanceOf(Granted.class);
    assertThat(besides(withExt4, "n1", NAMED, Optional.empty())).isInstanceOf(Granted.class);
    assertThat(besides(unknown, "n1", NAMED, ext4)).isInstanceOf(Granted.class);
    assertThat(besides(withExt4, "n2", NodeId.of("i-2"), none)).isInstanceOf(Granted.class);
  }

  // ---- what a workload brings to its volume

  private static final VolumeUse WEB = VolumeUse.of(VOLUME, WorkloadId.of("web"));
  private static final SelinuxLabel LABEL =
      SelinuxLabel.of("system_u:object_r:container_file_t:s0:c1,c2");
  private static final SelinuxLabel OTHER_LABEL =
      SelinuxLabel.of("system_u:object_r:container_file_t:s0:c3,c4");

  private static ClaimHolder web(Optional<MountOptions> options) {
    return new ClaimHolder(
        WEB.workload(),
        NodeName.of("n1"),
        Optional.empty(),
        ClaimMode.WRITE,
        ClaimHolder.State.TAKEN,
        1,
        BEFORE,
        new ClaimHolder.Attachment.NotNeeded(),
        options);
  }

  private static ClaimRequest.Builder asks(String workload) {
    return wish(workload, "n1", SHARED, ClaimMode.WRITE).toBuilder();
  }

  @Test
  void factsOfTheWorkloadAreKeptWithItsClaim() {
    WorkloadFacts facts = WorkloadFacts.of(WEB).withUid("u-1");

    Claim claim =
        granted(decide(Claim.none(VOLUME), asks("web").workloadFacts(facts).build(), NOW));

    ClaimHolder holder = claim.holder(WEB.workload()).orElseThrow();
    assertThat(holder.facts()).contains(facts);
    assertThat(holder.doing(ClaimMode.READ).in(ClaimHolder.State.UNPUBLISHING).facts())
        .contains(facts);
    assertThat(holder.attached(new ClaimHolder.Attachment.InDoubt()).facts()).contains(facts);
  }

  @Test
  void aRepeatedClaimMayLeaveItsFactsOutOrBringTheFirstAndBringsNoOthers() {
    WorkloadFacts facts = WorkloadFacts.of(WEB).withUid("u-1").withServiceAccount("front");
    Claim without = held(SHARED, web(Optional.empty()));
    Claim with = held(SHARED, web(Optional.empty()).with(facts));

    assertThat(decide(with, asks("web").workloadFacts(facts).build(), NOW))
        .isEqualTo(new Granted(with, false));
    assertThat(decide(with, asks("web").build(), NOW)).isEqualTo(new Granted(with, false));
    assertThat(decide(without, asks("web").workloadFacts(facts).build(), NOW))
        .as("also where a claim was made by a version that knows no facts")
        .isEqualTo(new Granted(with, true));
    assertThat(
            decide(
                with, asks("web").workloadFacts(WorkloadFacts.of(WEB).withUid("u-2")).build(), NOW))
        .isEqualTo(
            new Refused(
                OperatorCode.CLAIM_OTHER_USE,
                with.holder(WEB.workload()),
                new ReasonText(
                    "workload 'web' on node 'n1' (WRITE, TAKEN, since 40 s) claimed it with "
                        + "other workload facts than it requests now"
                        + " (csi.storage.k8s.io/pod.uid,"
                        + " csi.storage.k8s.io/serviceAccount.name)")));
  }

  @Test
  void aFactThatOnlyTheRequestHasIsNamed() {
    WorkloadFacts facts = WorkloadFacts.of(WEB);
    Claim with = held(SHARED, web(Optional.empty()).with(facts));

    assertThat(decide(with, asks("web").workloadFacts(facts.withUid("u-1")).build(), NOW))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.code()).isEqualTo(OperatorCode.CLAIM_OTHER_USE);
              assertThat(refused.because().text()).contains("csi.storage.k8s.io/pod.uid");
            });
  }

  @Test
  void factsThatComeLaterAreKeptWithAnAttachmentThatIsNotKnown() {
    WorkloadFacts facts = WorkloadFacts.of(WEB);
    ClaimHolder attaching = attaching("web", "n1", ClaimHolder.State.TAKEN, Optional.empty());

    Claim claim =
        granted(decide(held(SHARED, attaching), asks("web").workloadFacts(facts).build(), NOW));

    assertThat(claim.holder(WEB.workload()))
        .contains(attaching.with(facts).attached(new ClaimHolder.Attachment.InDoubt(true)));
  }

  private static MountOptions labelled(SelinuxLabel label) {
    return label.addedTo(MountOptions.none());
  }

  private static MountOptions grouped(String group) {
    return MountOptions.none().withVolumeMountGroup(group);
  }

  /** Returns how a volume is mounted for a claim on a node that has it mounted for another one. */
  private static Optional<MountOptions> mountedBeside(
      MountOptions there, ClaimRequest request, MountOptions asked) {
    Claim claim = held(SHARED, web(Optional.of(there)));
    return granted(ClaimRules.claim(claim, request, Optional.of(asked), false, NOW))
        .holder(request.usage().workload())
        .flatMap(ClaimHolder::options);
  }

  @Test
  void theFirstClaimOnANodeDecidesWhetherAVolumeIsMountedWithALabel() {
    MountOptions none = MountOptions.none();
    MountOptions noatime = none.withFlags(MountFlags.of("noatime"));
    MountOptions noFlags = none.withFlags(MountFlags.of());
    ClaimRequest job = asks("job").selinuxLabel(LABEL).build();
    ClaimRequest elsewhere =
        wish("job", "n2", SHARED, ClaimMode.WRITE).toBuilder().selinuxLabel(LABEL).build();

    assertThat(mountedBeside(none, job, labelled(LABEL)))
        .as("the plugin has come to take labels")
        .contains(none);
    assertThat(mountedBeside(noFlags, job, LABEL.addedTo(noFlags))).contains(noFlags);
    assertThat(mountedBeside(noatime, job, LABEL.addedTo(noatime))).contains(noatime);
    assertThat(mountedBeside(labelled(LABEL), job, none))
        .as("the plugin has ceased to take labels")
        .contains(labelled(LABEL));
    assertThat(mountedBeside(none, elsewhere, labelled(LABEL))).contains(labelled(LABEL));
    assertThat(mountedBeside(labelled(OTHER_LABEL), job, labelled(LABEL)))
        .as("the node refuses it, with both labels")
        .contains(labelled(LABEL));
    assertThat(mountedBeside(none, asks("job").build(), labelled(LABEL)))
        .as("the options themselves state a label")
        .contains(labelled(LABEL));
  }

  @Test
  void theFirstClaimOnANodeDecidesWhetherAVolumeIsMountedForAGroup() {
    MountOptions none = MountOptions.none();
    ClaimRequest job = asks("job").groupIfOffered("2000").groupOffered(true).build();
    ClaimRequest elsewhere =
        wish("job", "n2", SHARED, ClaimMode.WRITE).toBuilder()
            .groupIfOffered("2000")
            .groupOffered(true)
            .build();

    assertThat(mountedBeside(none, job, grouped("2000"))).contains(none);
    assertThat(mountedBeside(grouped("2000"), job, none)).contains(grouped("2000"));
    assertThat(mountedBeside(grouped("3000"), job, none))
        .as("the node refuses it, with both groups")
        .contains(grouped("2000"));
    assertThat(mountedBeside(none, job, grouped("3000")))
        .as("the options themselves state a group")
        .contains(grouped("3000"));
    assertThat(mountedBeside(none, elsewhere, grouped("2000"))).contains(grouped("2000"));
  }

  @Test
  void aRepeatedClaimHasTheLabelAndTheGroupThatItWasMadeWith() {
    MountOptions made = LABEL.addedTo(grouped("2000"));
    Claim claim = held(SHARED, web(Optional.of(made)));
    ClaimRequest same = asks("web").selinuxLabel(LABEL).groupIfOffered("2000").build();

    assertThat(ClaimRules.claim(claim, same, Optional.of(MountOptions.none()), false, NOW))
        .isEqualTo(new Granted(claim, false));
    for (ClaimRequest other :
        List.of(
            same.toBuilder().selinuxLabel(OTHER_LABEL).build(),
            same.toBuilder().groupIfOffered("3000").build())) {
      assertThat(ClaimRules.claim(claim, other, Optional.of(MountOptions.none()), false, NOW))
          .isEqualTo(
              new Refused(
                  OperatorCode.CLAIM_OTHER_USE,
                  claim.holder(WEB.workload()),
                  new ReasonText(
                      "workload 'web' on node 'n1' (WRITE, TAKEN, since 40 s) claimed it with other"
                          + " mount options than it requests now")));
    }
  }

  private static Claim granted(ClaimDecision decision) {
    assertThat(decision).isInstanceOf(Granted.class);
    return ((Granted) decision).next();
  }

  @Test
  void aMachineIsTheSameUnderAnotherNameIfThePluginNamesItSo() {
    ClaimHolder leaving = attaching("web", "n1", ClaimHolder.State.NODE_DETACHED, Optional.empty());

    assertThat(code(besides(leaving, "renamed", NAMED, Optional.empty())))
        .isEqualTo(OperatorCode.CLAIM_BEING_RELEASED);
    assertThat(besides(leaving, "n2", NodeId.of("i-2"), Optional.empty()))
        .isInstanceOf(Granted.class);
  }

  @Test
  void whatIsKnownOfAnotherEpochChangesNothing() {
    WorkloadId web = WorkloadId.of("web");
    for (ClaimHolder.State state : ClaimHolder.State.values()) {
      ClaimHolder holder = attaching("web", "n1", state, Optional.empty());
      Claim claim = held(SHARED, holder);
      ClaimHolder former =
          new ClaimHolder(
              web,
              holder.node(),
              holder.nodeId(),
              holder.mode(),
              state,
              7,
              BEFORE,
              holder.attachment());

      assertThat(ClaimRules.attached(claim, web, 7, PublishContext.empty(), NOW))
          .isEqualTo(
              new Refused(
                  OperatorCode.CLAIM_MISSING,
                  Optional.empty(),
                  new ReasonText("its claim of epoch 7 is gone")));
      assertThat(ClaimRules.settled(claim, web, 7)).isEqualTo(new Granted(claim, false));
      assertThat(ClaimRules.detached(claim, List.of(former))).isEqualTo(new Granted(claim, false));
    }
  }

  @ParameterizedTest
  @EnumSource(ClaimHolder.State.class)
  void onlyWhatTheNodeHasLeftIsDetachedAndOnlyWhatIsDetachedIsSettled(ClaimHolder.State state) {
    ClaimHolder holder = attaching("web", "n1", state, Optional.empty());
    Claim claim = held(SHARED, holder);

    assertThat(ClaimRules.detached(claim, List.of(holder)).changes())
        .isEqualTo(state == ClaimHolder.State.NODE_DETACHED);
    assertThat(ClaimRules.settled(claim, holder.workload(), 1).changes())
        .isEqualTo(state == ClaimHolder.State.CONTROLLER_DETACHED);
  }

  @ParameterizedTest
  @EnumSource(ClaimHolder.State.class)
  void onlyAClaimThatIsTakenAndWasNeverAttachedIsGivenBackByARefusedAttach(
      ClaimHolder.State state) {
    ClaimHolder holder = attaching("web", "n1", state, Optional.empty());
    ClaimHolder repeated = holder.attached(new ClaimHolder.Attachment.InDoubt(true));
    ClaimHolder attached =
        holder.attached(new ClaimHolder.Attachment.Attached(PublishContext.empty()));

    for (ClaimHolder each : List.of(holder, repeated, attached)) {
      Claim claim = held(SHARED, each);

      Granted after = ClaimRules.notAttached(claim, each.workload(), 1);

      if (state == ClaimHolder.State.TAKEN && !each.equals(attached)) {
        assertThat(after.next().holder(each.workload()).map(ClaimHolder::state))
            .as("free at once, unless an earlier call may have attached it")
            .contains(
                each.equals(repeated)
                    ? ClaimHolder.State.NODE_DETACHED
                    : ClaimHolder.State.READY_TO_FREE);
      } else {
        assertThat(after).isEqualTo(new Granted(claim, false));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ClaimHolder.State.class)
  void anAttachmentThatCameTooLateIsOwedByAnEntryUnlessOneStillHasTheVolumeThere(
      ClaimHolder.State state) {
    ClaimHolder lost = attaching("lost", "n1", ClaimHolder.State.TAKEN, Optional.empty());
    Claim claim = held(SHARED, attaching("web", "n1", state, Optional.empty()));
    Claim.Use use = claim.use().orElseThrow();

    Granted granted = ClaimRules.leftOver(claim, lost, use, NOW);

    if (state == ClaimHolder.State.TAKEN || state == ClaimHolder.State.UNPUBLISHING) {
      assertThat(granted).isEqualTo(new Granted(claim, false));
    } else {
      assertThat(granted.changes()).isTrue();
      ClaimHolder debt = granted.next().holder(WorkloadId.of("left-attached-2")).orElseThrow();
      assertThat(debt.state()).isEqualTo(ClaimHolder.State.NODE_DETACHED);
      assertThat(debt.attachment()).isEqualTo(new ClaimHolder.Attachment.InDoubt());
      assertThat(debt.nodeId()).contains(NAMED);
      assertThat(debt.epoch()).isEqualTo(2);
    }
  }

  private static Claim next(ClaimDecision decision) {
    return ((Granted) decision).next();
  }

  private static OperatorCode code(ClaimDecision decision) {
    assertThat(decision).isInstanceOf(Refused.class);
    return ((Refused) decision).code();
  }

  @Test
  void noReleaseOrProofEndsTheHoldOfADeletion() {
    Claim held = ((Granted) ClaimRules.holdForDeletion(Claim.none(VOLUME), NOW)).next();
    VolumeUse usage = VolumeUse.of(VOLUME, Claim.DELETION);
    ReleaseProof proof =
        new ReleaseProof.OperatorOverride(
            usage,
            held.epoch(),
            new ClaimOverride.Person("ann"),
            new ReasonText("its node is nowhere"),
            ReleaseProof.Covers.NODE_AND_STORAGE);

    assertThat(
            List.of(
                code(ClaimRules.advance(held, Claim.DELETION, ClaimHolder.State.UNPUBLISHING, NOW)),
                code(ClaimRules.proven(held, proof, NOW)),
                code(ClaimRules.forget(held, Claim.DELETION, NOW)),
                code(ClaimRules.change(held, Claim.DELETION, ClaimMode.READ, NOW))))
        .containsOnly(OperatorCode.VOLUME_BEING_DELETED);
  }

  @Test
  void anOlderCsi4jThatKnowsNothingOfDeletionsFindsNoRoomBesideOne() {
    Claim held = ((Granted) ClaimRules.holdForDeletion(Claim.none(VOLUME), NOW)).next();

    assertThat(held.use()).isPresent();
    assertThat(room(held.use().get().mode()).holders()).isEqualTo(1);
    assertThat(held.holders().values())
        .allMatch(holder -> holder.mode() == ClaimMode.WRITE)
        .allMatch(holder -> holder.state() == ClaimHolder.State.TAKEN)
        .allMatch(holder -> holder.attachment() instanceof ClaimHolder.Attachment.NotNeeded);
    assertThat(ClaimRules.endDeletion(held, held.epoch()).next().epoch()).isEqualTo(held.epoch());
  }
}
