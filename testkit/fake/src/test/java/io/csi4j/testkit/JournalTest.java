package io.csi4j.testkit;

import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.PROBE;
import static io.csi4j.client.model.CsiOperation.VALIDATE_VOLUME_CAPABILITIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.RawCaller.Pending;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.journal.CallFacts;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.PathFact;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the journal says of the calls that were made. */
class JournalTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String CANARY = "canary-5eed-4711";

  private final VirtualClock clock = VirtualClock.create();
  private FakeCsiPlugin plugin;
  private RawCaller caller;
  private CallJournal journal;

  @BeforeEach
  void open() {
    plugin = FakeCsiPlugin.builder().clock(clock).open();
    caller = new RawCaller(plugin.endpoint());
    journal = plugin.journal();
  }

  @AfterEach
  void close() {
    caller.close();
    plugin.close();
  }

  @Test
  void aCallIsWrittenDownWithEverythingThatIsKnownOfIt() {
    assertThat(caller.call(CREATE_VOLUME, Requests.create("a")).status().isOk()).isTrue();

    RecordedCall call = journal.last(CREATE_VOLUME).orElseThrow();
    assertThat(call.number()).isEqualTo(1);
    assertThat(call.operation()).isEqualTo(CREATE_VOLUME);
    assertThat(call.node()).contains(plugin.nodes().get(0));
    assertThat(call.authority()).isEqualTo("localhost");
    assertThat(call.metadata()).as("without that of gRPC").isEmpty();
    assertThat(call.request().text("name")).isEqualTo("a");
    assertThat(call.beside()).isEmpty();
    assertThat(call.paths()).isEmpty();
    assertThat(call.began()).isEqualTo(clock.now());
    assertThat(call.ended()).contains(clock.now());
    assertThat(call.worked()).isTrue();
    assertThat(call.ok()).isTrue();
    assertThat(call.volume()).isEmpty();
    assertThat(call.answer().orElseThrow().message("volume").text("volume_id"))
        .isEqualTo(plugin.contents().volumes().get(0).value());
    assertThat(journal.events())
        .extracting(Object::getClass)
        .containsExactly(
            JournalEvent.Started.class,
            JournalEvent.Began.class,
            JournalEvent.Worked.class,
            JournalEvent.Ended.class);
  }

  @Test
  void whatWasHandedOutDoesNotChange() {
    plugin.inject(Fault.hang(), When.calling(PROBE));
    Pending pending = caller.begin(PROBE, Requests.probe());
    RecordedCall before = journal.await(call -> call.number() == 1, SOON);
    List<JournalEvent> events = journal.events();

    plugin.release();
    assertThat(pending.ended().status().isOk()).isTrue();

    assertThat(before.end()).isEmpty();
    assertThat(events).hasSize(2);
    assertThat(((JournalEvent.Began) events.get(1)).call().worked()).isFalse();
    assertThat(journal.calls().get(0).ok()).isTrue();
  }

  @Test
  void describeTellsOneLinePerEvent() {
    plugin.inject(
        Fault.delay(Duration.ofMillis(350)).then(Fault.fail(StatusCode.ABORTED, "busy")),
        When.calling(NODE_STAGE_VOLUME));
    Pending stage = caller.begin(NODE_STAGE_VOLUME, Requests.stage("vol-1", "/nowhere/s"));
    journal.await(call -> call.number() == 1, SOON);
    assertThat(caller.call(PROBE, Requests.probe()).status().isOk()).isTrue();
    while (clock.pending() == 0) {
      LockSupport.parkNanos(100_000);
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(stage.ended().status().isOk()).isFalse();
    plugin.stop();

    assertThat(journal.describe())
        .isEqualTo(
            """
            00:00:00.000  Plugin started as fake.csi4j.example 1.0.0
            00:00:00.000  #1 NodeStageVolume of 'vol-1' on 'node-1' began: \
            NodeStageVolumeRequest{volume_id="vol-1" staging_target_path="/nowhere/s" \
            volume_capability{mount{fs_type="ext4"} access_mode{mode=SINGLE_NODE_WRITER}}}
            00:00:00.000  #2 Probe on 'node-1' began, beside #1: ProbeRequest{}
            00:00:00.000  #2 Probe on 'node-1' did its work after 0 ms
            00:00:00.000  #2 Probe on 'node-1' ended OK after 0 ms, beside #1
            00:00:00.350  #1 NodeStageVolume of 'vol-1' on 'node-1' failed with ABORTED (10) \
            'busy' after 350 ms
            00:00:01.000  Plugin stopped
            """);
  }

  @Test
  void besideIsWhatWasInFlightWhenTheCallCameIn() {
    plugin.inject(Fault.hang(), When.calling(PROBE).times(2));
    List<Pending> pending = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      long number = i;
      pending.add(caller.begin(PROBE, Requests.probe()));
      journal.await(call -> call.number() == number, SOON);
    }
    plugin.release();
    pending.forEach(one -> assertThat(one.ended().status().isOk()).isTrue());

    assertThat(journal.calls())
        .extracting(RecordedCall::beside)
        .containsExactly(List.of(), List.of(1L), List.of(1L, 2L));
    assertThat(journal.inFlight()).isEmpty();
  }

  @Test
  void aHundredCallsAtOnceAreEachWrittenDownOnceInAConsistentOrder() {
    List<Pending> all =
        IntStream.range(0, 100)
            .mapToObj(i -> caller.begin(CREATE_VOLUME, Requests.create("v" + i)))
            .toList();
    all.forEach(one -> assertThat(one.ended().status().isOk()).isTrue());

    assertThat(plugin.contents().volumes()).hasSize(100);
    assertThat(journal.calls())
        .extracting(RecordedCall::number)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 100).mapToObj(Long::valueOf).toList());
    Set<Long> open = new HashSet<>();
    Set<Long> worked = new HashSet<>();
    for (JournalEvent event : journal.events()) {
      if (event instanceof JournalEvent.Began began) {
        assertThat(began.call().beside()).containsExactlyInAnyOrderElementsOf(open);
        open.add(began.call().number());
      } else if (event instanceof JournalEvent.Worked done) {
        assertThat(worked.add(done.call().number())).isTrue();
      } else if (event instanceof JournalEvent.Ended ended) {
        assertThat(worked).contains(ended.call().number());
        assertThat(open.remove(ended.call().number())).isTrue();
      }
    }
    assertThat(open).isEmpty();
  }

  @Test
  void pathsAreLookedAtBeforeTheWork(@TempDir Path directory) throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
    assertThat(facts(directory.toString())).isEqualTo(PathFact.DIRECTORY);
    assertThat(facts(file.toString())).isEqualTo(PathFact.OTHER);
    assertThat(facts(link.toString())).isEqualTo(PathFact.OTHER);
    assertThat(facts(directory.resolve("new").toString())).isEqualTo(PathFact.MISSING);
    assertThat(facts(directory.resolve("a/b").toString())).isEqualTo(PathFact.PARENT_MISSING);
    assertThat(facts("relative")).isEqualTo(PathFact.UNKNOWN);
    assertThat(facts("/nul\0")).isEqualTo(PathFact.UNKNOWN);
    assertThat(CallFacts.paths(Requests.stage("v", ""), true)).isEmpty();
    assertThat(CallFacts.paths(Requests.stage("v", directory.toString()), false))
        .isEqualTo(Map.of("staging_target_path", PathFact.UNKNOWN));
  }

  private PathFact facts(String path) {
    caller.call(NODE_STAGE_VOLUME, Requests.stage("none", path));
    return journal.last(NODE_STAGE_VOLUME).orElseThrow().paths().get("staging_target_path");
  }

  @Test
  void theVolumeIsTheOneThatTheRequestIsAbout() {
    assertThat(CallFacts.volume(Requests.delete("v"))).contains(VolumeId.of("v"));
    assertThat(CallFacts.volume(Requests.stage("v", "/s"))).contains(VolumeId.of("v"));
    assertThat(CallFacts.volume(CreateSnapshotRequest.newBuilder().setSourceVolumeId("v").build()))
        .contains(VolumeId.of("v"));
    assertThat(CallFacts.volume(ListSnapshotsRequest.newBuilder().setSourceVolumeId("v").build()))
        .contains(VolumeId.of("v"));
    assertThat(
            CallFacts.volume(
                CreateVolumeRequest.newBuilder()
                    .setVolumeContentSource(
                        VolumeContentSource.newBuilder()
                            .setVolume(
                                VolumeContentSource.VolumeSource.newBuilder().setVolumeId("v")))
                    .build()))
        .contains(VolumeId.of("v"));
    assertThat(
            CallFacts.volume(
                CreateVolumeGroupSnapshotRequest.newBuilder().addSourceVolumeIds("v").build()))
        .contains(VolumeId.of("v"));
    for (Message none :
        List.of(
            Requests.create("v"),
            Requests.delete(""),
            Requests.delete("x".repeat(5000)),
            DeleteSnapshotRequest.newBuilder().setSnapshotId("v").build(),
            CreateVolumeGroupSnapshotRequest.newBuilder()
                .addSourceVolumeIds("v")
                .addSourceVolumeIds("w")
                .build(),
            Requests.probe())) {
      assertThat(CallFacts.volume(none)).isEmpty();
    }
  }

  @Test
  void theLastCapabilityIsReadLeniently() {
    assertThat(journal.lastCapability(NODE_STAGE_VOLUME)).isEmpty();
    NodeStageVolumeRequest.Builder stage = Requests.stage("v", "/s").toBuilder();
    stage
        .getVolumeCapabilityBuilder()
        .getMountBuilder()
        .addMountFlags("noatime")
        .setVolumeMountGroup("100");
    caller.call(NODE_STAGE_VOLUME, stage.build());
    assertThat(journal.lastCapability(NODE_STAGE_VOLUME))
        .contains(
            VolumeCapability.mount(
                AccessMode.SINGLE_NODE_WRITER,
                MountOptions.none()
                    .withFsType("ext4")
                    .withFlags(MountFlags.of("noatime"))
                    .withVolumeMountGroup("100")));

    caller.call(NODE_STAGE_VOLUME, stage.clearVolumeCapability().build());
    assertThat(journal.lastCapability(NODE_STAGE_VOLUME)).isEmpty();

    caller.call(
        NODE_STAGE_VOLUME,
        stage
            .setVolumeCapability(
                Requests.mount().toBuilder()
                    .setAccessMode(
                        io.csi4j.client.internal.proto.VolumeCapability.AccessMode.newBuilder()
                            .setModeValue(77)))
            .build());
    assertThat(journal.lastCapability(NODE_STAGE_VOLUME)).isEmpty();

    caller.call(
        VALIDATE_VOLUME_CAPABILITIES,
        ValidateVolumeCapabilitiesRequest.newBuilder()
            .addVolumeCapabilities(Requests.mount())
            .build());
    assertThat(journal.lastCapability(VALIDATE_VOLUME_CAPABILITIES))
        .map(VolumeCapability::accessMode)
        .contains(AccessMode.SINGLE_NODE_WRITER);
    assertThat(journal.lastCapability(PROBE)).isEmpty();
  }

  @Test
  void awaitFindsACallThatCameBeforeAndOneThatComesLater() {
    caller.call(PROBE, Requests.probe());
    assertThat(journal.await(call -> call.operation() == PROBE, Duration.ZERO).number())
        .isEqualTo(1);

    plugin.inject(Fault.hang(), When.calling(PROBE));
    Pending pending = caller.begin(PROBE, Requests.probe());
    assertThat(journal.await(call -> call.number() == 2, SOON).end()).isEmpty();
    plugin.release();
    assertThat(journal.await(call -> call.number() == 2 && call.ok(), SOON).worked()).isTrue();
    assertThat(pending.ended().status().isOk()).isTrue();
  }

  @Test
  void awaitInVainTellsTheWholeJournal() {
    caller.call(PROBE, Requests.probe());

    assertThatThrownBy(() -> journal.await(call -> false, Duration.ofMillis(1)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("within 1 ms")
        .hasMessageContaining("#1 Probe on 'node-1' ended OK");
  }

  @Test
  void clearForgetsWhatEndedAndKeepsWhatIsInFlight() {
    plugin.inject(Fault.hang(), When.calling(PROBE).once());
    Pending pending = caller.begin(PROBE, Requests.probe());
    journal.await(call -> call.number() == 1, SOON);
    caller.call(PROBE, Requests.probe());

    journal.clear();

    assertThat(journal.calls()).extracting(RecordedCall::number).containsExactly(1L);
    assertThat(journal.events()).singleElement().isInstanceOf(JournalEvent.Began.class);
    plugin.release();
    assertThat(pending.ended().status().isOk()).isTrue();
    caller.call(PROBE, Requests.probe());
    assertThat(journal.calls()).extracting(RecordedCall::number).containsExactly(1L, 3L);
    assertThat(journal.calls()).allMatch(RecordedCall::ok);
  }

  @Test
  void noSecretIsShownAnywhere() {
    plugin.inject(
        Fault.fail(StatusCode.INTERNAL, "mount -o password=" + CANARY + " failed"),
        When.calling(NODE_STAGE_VOLUME));
    caller.call(
        NODE_STAGE_VOLUME,
        Requests.stage("v", "/s").toBuilder()
            .putSecrets("password", CANARY)
            .putVolumeContext("a", CANARY)
            .putPublishContext("b", CANARY)
            .setVolumeCapability(
                io.csi4j.client.internal.proto.VolumeCapability.newBuilder()
                    .setMount(
                        io.csi4j.client.internal.proto.VolumeCapability.MountVolume.newBuilder()
                            .addMountFlags("password=" + CANARY)))
            .build());
    caller.call(CREATE_VOLUME, Requests.create("a").toBuilder().putSecrets("k", CANARY).build());
    caller.call(
        io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME,
        NodePublishVolumeRequest.newBuilder().putSecrets("k", CANARY).build());
    caller.call(
        io.csi4j.client.model.CsiOperation.CONTROLLER_PUBLISH_VOLUME,
        ControllerPublishVolumeRequest.newBuilder().putSecrets("k", CANARY).build());

    assertThat(journal.calls()).hasSize(4);
    assertThat(journal.describe()).contains("password=<redacted>").doesNotContain(CANARY);
    assertThat(journal.events().toString()).doesNotContain(CANARY);
    for (RecordedCall call : journal.calls()) {
      assertThat(call.toString()).doesNotContain(CANARY);
      assertThat(call.request().toString()).doesNotContain(CANARY).contains("redacted");
      assertThat(call.request().json()).doesNotContain(CANARY).contains("redacted");
      assertThat(call.request().map("secrets").values()).containsExactly(CANARY);
      assertThat(call.request().withoutSecrets().has("secrets")).isFalse();
    }
    assertThat(journal.last(NODE_STAGE_VOLUME).flatMap(RecordedCall::end))
        .contains(new CallEnd.Failed(StatusCode.INTERNAL.value(), "mount -o <redacted> failed"));
  }
}
