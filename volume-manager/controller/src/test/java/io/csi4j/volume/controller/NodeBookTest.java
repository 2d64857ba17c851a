package io.csi4j.volume.controller;

import static io.csi4j.client.model.VolumeHealthEntry.Status.DATA_LOSS;
import static io.csi4j.client.model.VolumeHealthEntry.Status.DEGRADED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.volume.catalog.NodeEntry;
import io.csi4j.volume.catalog.NodeSamples;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.store.local.StoreMove;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The nodes of a cluster, as two control planes have them on record. */
class NodeBookTest {

  private static final NodeName A = NodeName.of("a");
  private static final RecordKey KEY = new RecordKey(RecordKey.Space.CLUSTER, "node/a");
  private static final ReasonText WHY = new ReasonText("new disks");
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));

  private RecordStore store;
  private RecordStore other;
  private NodeBook here;
  private NodeBook there;

  /** A client of the store of this test. */
  RecordStore client(String ofTest) {
    return store == null ? new MemoryStore() : store;
  }

  @BeforeEach
  void open() {
    String test = UUID.randomUUID().toString();
    store = client(test);
    other = client(test);
    here = new NodeBook(store);
    there = new NodeBook(other);
  }

  @AfterEach
  void close() {
    other.close();
    store.close();
  }

  private static NodeEntry report(long number, String nodeId) {
    return NodeSamples.report("a", number, nodeId);
  }

  private long version() {
    return store.read(KEY).map(StoredRecord::version).orElse(0L);
  }

  private static ClaimRequest request() {
    return ClaimRequest.builder(
            WEB,
            A,
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  private static Optional<OperatorCode> whyNot(NodeBook book) {
    return book.whyNotClaimed(request()).map(Refused::code);
  }

  @Test
  void aNodeIsKnownToAllControlPlanesAndWrittenOnlyWhenItsFactsChange() {
    assertThat(there.find(A)).isEmpty();
    assertThat(whyNot(there)).contains(OperatorCode.NODE_UNKNOWN);
    assertThat(catchThrowableOfType(ControllerException.class, () -> there.get(A)).code())
        .isEqualTo(OperatorCode.NODE_UNKNOWN);

    NodeEntry first = here.reported(report(1, "i-1"));

    assertThat(there.get(A)).isEqualTo(first);
    assertThat(whyNot(there)).isEmpty();
    long version = version();
    assertThat(there.reported(report(2, "i-1"))).isEqualTo(first);
    NodeEntry rebooted =
        NodeEntry.reported(
            A, "boot-2", 1, List.of(NodeSamples.plugin("i-1", PluginHealth.State.READY)), false);
    assertThat(here.reported(rebooted)).as("the same facts").isEqualTo(first);
    assertThat(version()).isEqualTo(version);

    here.reported(report(3, "i-2"));
    assertThat(version()).isGreaterThan(version);
    assertThat(there.get(A)).isEqualTo(report(3, "i-2"));
  }

  /** A look that finds the same again writes nothing. */
  @Test
  void howThePluginsAndVolumesOfANodeAreIsKnownToAllControlPlanes() {
    here.reported(report(1, "i-1"));
    NodeEntry starting =
        NodeEntry.reported(
            A, "boot-1", 2, List.of(NodeSamples.plugin("i-1", PluginHealth.State.STARTING)), false);
    here.reported(starting.unwell(Map.of(WEB.volume(), fault(DEGRADED, 5))));

    assertThat(there.get(A).plugins())
        .extracting(each -> each.registered().health().state())
        .containsExactly(PluginHealth.State.STARTING);
    assertThat(there.get(A).health(WEB.volume())).isEqualTo(fault(DEGRADED, 1));
    assertThat(there.get(A).health(VolumeKey.of("other")).isWell()).isTrue();

    long version = version();
    here.reported(
        NodeEntry.reported(
                A,
                "boot-1",
                3,
                List.of(NodeSamples.plugin("i-1", PluginHealth.State.STARTING)),
                false)
            .unwell(Map.of(WEB.volume(), fault(DEGRADED, 9))));
    assertThat(version()).isEqualTo(version);

    there.away(A, WHY, Optional.empty());
    assertThat(here.get(A).health(WEB.volume()).isWell()).isTrue();
    here.reported(report(4, "i-1"));
    assertThat(there.get(A)).isEqualTo(report(4, "i-1"));
  }

  /** The record of a node has its limit, and its plugins matter more. */
  @Test
  void ofVeryManyVolumesWithAFaultTheWorstAreOnRecord() {
    Map<VolumeKey, VolumeHealth> all = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      all.put(VolumeKey.of("v" + i), fault(i == 777 ? DATA_LOSS : DEGRADED, 1));
    }

    here.reported(report(1, "i-1").unwell(all));

    Map<VolumeKey, VolumeHealth> known = there.get(A).unwell();
    assertThat(known).hasSizeBetween(100, 500);
    assertThat(known.keySet()).first().isEqualTo(VolumeKey.of("v777"));
    assertThat(store.read(KEY).orElseThrow().value().size()).isLessThan(48 * 1024);
  }

  private static VolumeHealth fault(VolumeHealthEntry.Status status, int asOf) {
    return new VolumeHealth(
        List.of(
            new VolumeHealth.Finding(
                VolumeHealthEntry.of(status, HealthReason.of("Slow"), "a path is gone"),
                new VolumeHealth.Source(VolumeHealth.Source.Kind.NODE, Optional.of(A)),
                Instant.ofEpochSecond(1),
                Instant.ofEpochSecond(asOf))));
  }

  @Test
  void aReportThatArrivesAfterALaterOneOfTheSameBootChangesNothing() {
    here.reported(report(5, "i-5"));

    assertThat(there.reported(report(4, "i-4"))).isEqualTo(report(5, "i-5"));
    assertThat(here.get(A)).isEqualTo(report(5, "i-5"));

    NodeEntry rebooted =
        NodeEntry.reported(
            A, "boot-2", 1, List.of(NodeSamples.plugin("i-1", PluginHealth.State.READY)), false);
    assertThat(there.reported(rebooted)).isEqualTo(rebooted);
  }

  @Test
  void theWordOfAnOperatorOutlivesReports() {
    here.reported(report(1, "i-1"));
    assertThat(there.drain(A, WHY).drained()).contains(WHY);

    NodeEntry drained = here.reported(report(2, "i-2"));

    assertThat(drained).isEqualTo(report(2, "i-2").drained(Optional.of(WHY)));
    assertThat(here.whyNotClaimed(request()))
        .contains(
            new Refused(
                OperatorCode.NODE_DRAINING,
                Optional.empty(),
                new ReasonText("an operator is draining node 'a': new disks")));
    assertThat(there.undrain(A)).isEqualTo(report(2, "i-2"));
    assertThat(whyNot(here)).isEmpty();
  }

  @Test
  void aNodeDrainsItselfUntilItReportsOtherwise() {
    here.reported(NodeEntry.reported(A, "boot-1", 1, List.of(), true));
    assertThat(there.undrain(A).isDraining()).isTrue();
    assertThat(there.whyNotClaimed(request()))
        .contains(
            new Refused(
                OperatorCode.NODE_DRAINING,
                Optional.empty(),
                new ReasonText("node 'a' reports that it is draining")));

    there.reported(NodeEntry.reported(A, "boot-1", 2, List.of(), false));

    assertThat(whyNot(here)).isEmpty();
  }

  @Test
  void nothingOfAPluginIsClaimedBeforeItsNodeHasReportedWhatItSaysOfItself() {
    RegisteredPlugin said = NodeSamples.plugin("i-1", PluginHealth.State.READY);
    PluginId plugin = said.registration().id();
    RegisteredPlugin silent =
        new RegisteredPlugin(said.registration(), said.health(), Optional.empty(), false);
    assertThat(here.whyNotClaimed(request(), plugin).map(Refused::code))
        .contains(OperatorCode.NODE_UNKNOWN);
    here.reported(NodeEntry.reported(A, "boot-1", 1, List.of(said), false));
    assertThat(there.whyNotClaimed(request(), plugin)).isEmpty();
    assertThat(there.whyNotClaimed(request(), PluginId.of("other")).map(Refused::code))
        .contains(OperatorCode.PLUGIN_NOT_REGISTERED);

    here.reported(NodeEntry.reported(A, "boot-1", 2, List.of(silent), false));
    assertThat(there.whyNotClaimed(request(), plugin).map(Refused::code))
        .contains(OperatorCode.PLUGIN_NOT_READY);
    here.reported(NodeEntry.reported(A, "boot-1", 3, List.of(silent, said), false));
    assertThat(there.whyNotClaimed(request(), plugin)).as("an older instance has").isEmpty();
    here.drain(A, WHY);
    assertThat(there.whyNotClaimed(request(), plugin).map(Refused::code))
        .contains(OperatorCode.NODE_DRAINING);
  }

  @Test
  void aNodeThatIsAwayIsBackWithItsNextReport() {
    assertThat(here.away(A, WHY, Optional.empty())).isEmpty();
    here.reported(report(1, "i-1"));
    assertThat(here.away(A, WHY, Optional.empty()).orElseThrow().away()).contains(WHY);
    assertThat(there.whyNotClaimed(request()))
        .contains(
            new Refused(
                OperatorCode.NODE_AWAY, Optional.empty(), new ReasonText("node 'a': new disks")));

    assertThat(there.reported(report(2, "i-1"))).isEqualTo(report(1, "i-1"));

    assertThat(whyNot(here)).isEmpty();
  }

  @Test
  void aReportFromBeforeAnAttestationDoesNotBringItsNodeBack() {
    here.reported(report(1, "i-1"));
    assertThat(here.away(A, WHY, Optional.of(report(5, "i-1"))).orElseThrow().away()).contains(WHY);

    assertThat(there.reported(report(4, "i-1")).away()).contains(WHY);
    assertThat(there.reported(report(5, "i-1")).away()).contains(WHY);
    assertThat(there.reported(report(6, "i-1")).away()).isEmpty();

    NodeEntry rebooted =
        NodeEntry.reported(
            A, "boot-2", 1, List.of(NodeSamples.plugin("i-1", PluginHealth.State.READY)), false);
    here.away(A, WHY, Optional.of(report(7, "i-1")));
    assertThat(there.reported(rebooted).away()).as("after a reboot").isEmpty();
    here.away(A, WHY, Optional.of(rebooted));
    assertThat(there.reported(rebooted).away()).as("a report of that boot").contains(WHY);
    here.away(A, WHY, Optional.of(report(9, "i-9")));
    assertThat(here.get(A).boot()).as("facts that others have replaced").isEqualTo("boot-2");
  }

  /** The plugins of a node that dies change their health, and that report is on its way still. */
  @Test
  void aReportWithOtherFactsThatWasSeenBeforeAnAttestationDoesNotBringItsNodeBack() {
    here.reported(report(1, "i-1"));
    NodeEntry dying = report(2, "i-1").unwell(Map.of(WEB.volume(), fault(DATA_LOSS, 1)));
    here.away(A, WHY, Optional.of(dying));

    assertThat(there.reported(dying).away()).contains(WHY);
    assertThat(there.reported(report(3, "i-1")).away()).isEmpty();
  }

  @Test
  void aRecordOfANodeThatIsTooLargeIsRefusedAndTheOneBeforeStays() {
    here.reported(report(1, "i-1"));
    Map<VolumeKey, CapacityRange> all = new HashMap<>();
    for (int i = 0; i < 3000; i++) {
      all.put(VolumeKey.of("a-volume-with-a-rather-long-name-" + i), CapacityRange.atLeast(i + 1));
    }

    ControllerException full =
        catchThrowableOfType(
            ControllerException.class, () -> here.reported(report(2, "i-1").expanded(all)));

    assertThat(full.code()).isEqualTo(OperatorCode.VOLUME_RECORD_FULL);
    assertThat(there.get(A)).isEqualTo(report(1, "i-1"));
  }

  @Test
  void aReasonThatIsBlankIsRefusedAndNotLost() {
    here.reported(report(1, "i-1"));
    for (String blank : List.of("", " ")) {
      ReasonText none = new ReasonText(blank);
      for (Runnable call :
          List.<Runnable>of(
              () -> here.drain(A, none), () -> here.away(A, none, Optional.empty()))) {
        assertThatIllegalArgumentException()
            .isThrownBy(call::run)
            .withMessage("The reason why node 'a' takes no volumes is blank. Give it a text.");
      }
    }
    assertThat(there.get(A)).isEqualTo(report(1, "i-1"));
  }

  @Test
  void onlyANodeOnRecordIsDrained() {
    for (Runnable call : List.<Runnable>of(() -> here.drain(A, WHY), () -> here.undrain(A))) {
      ControllerException refused = catchThrowableOfType(ControllerException.class, call::run);
      assertThat(refused.code()).isEqualTo(OperatorCode.NODE_UNKNOWN);
      assertThat(refused.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    }
    assertThat(store.read(KEY)).isEmpty();
  }

  @Test
  void nothingIsClaimedForANodeThatIsNotOnRecord() {
    ClaimBook claims = new ClaimBook(store, Clock.systemUTC()).asking(here::whyNotClaimed);

    ClaimException unknown =
        catchThrowableOfType(ClaimException.class, () -> claims.claim(request()));
    assertThat(unknown.code()).isEqualTo(OperatorCode.NODE_UNKNOWN);

    there.reported(report(1, "i-1"));
    assertThat(claims.claim(request()).node()).isEqualTo(A);
    there.drain(A, WHY);
    assertThat(claims.claim(request()).node()).as("what it has stays").isEqualTo(A);
  }

  @Test
  void allNodesAreListedByNameAndOneThatCannotBeReadHidesNoOther() {
    assertThat(here.all()).isEqualTo(new NodeBook.Nodes(List.of(), List.of()));
    new ClusterSetup(store).create();
    for (String name : List.of("c", "a", "b")) {
      here.reported(NodeSamples.report(name, 1, "i-" + name));
    }
    RecordKey damaged = new RecordKey(RecordKey.Space.CLUSTER, "node/b");
    StateValue newer = StateValue.of(new byte[] {8, 9});
    assertThat(store.write(new RecordWrite(damaged, store.read(damaged), Optional.of(newer))))
        .isInstanceOf(RecordStore.WriteResult.Written.class);

    NodeBook.Nodes all = there.all();

    assertThat(all.nodes())
        .extracting(NodeEntry::name)
        .extracting(NodeName::value)
        .containsExactly("a", "c");
    assertThat(all.unreadable())
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.CATALOG_UNREADABLE);
    assertThat(all.unreadable().get(0).line()).contains("the record of node 'b'");
    ControllerException unread =
        catchThrowableOfType(ControllerException.class, () -> there.get(NodeName.of("b")));
    assertThat(unread.code()).isEqualTo(OperatorCode.CATALOG_UNREADABLE);
  }

  @Test
  void manyNodesAreReadByPages() {
    for (int i = 0; i < 501; i++) {
      here.reported(NodeSamples.report("n" + i, 1, "i"));
    }

    assertThat(there.all().nodes()).hasSize(501);
  }

  /** A move takes all records along, and these are among them. */
  @Test
  void aNodeIsKnownAfterItsRecordsWereMovedToADirectory(@TempDir Path directory) {
    here.reported(report(1, "i-1"));
    here.drain(A, WHY);

    try (LocalStore target = LocalStore.open(directory)) {
      assertThat(StoreMove.run(store, target).records()).containsEntry(RecordKey.Space.CLUSTER, 1);
      assertThat(new NodeBook(target).get(A)).isEqualTo(report(1, "i-1").drained(Optional.of(WHY)));
    }
    try (LocalStore again = LocalStore.open(directory)) {
      assertThat(new NodeBook(again).undrain(A)).isEqualTo(report(1, "i-1"));
    }
  }
}
