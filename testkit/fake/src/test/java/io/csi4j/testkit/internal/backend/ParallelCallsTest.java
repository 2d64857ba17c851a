package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.GIB;
import static io.csi4j.testkit.internal.backend.Requests.WRITER;
import static io.csi4j.testkit.internal.backend.Requests.attached;
import static io.csi4j.testkit.internal.backend.Requests.created;
import static io.csi4j.testkit.internal.backend.Requests.cut;
import static io.csi4j.testkit.internal.backend.Requests.exactly;
import static io.csi4j.testkit.internal.backend.Requests.expand;
import static io.csi4j.testkit.internal.backend.Requests.filledFrom;
import static io.csi4j.testkit.internal.backend.Requests.newVolume;
import static io.csi4j.testkit.internal.backend.Requests.stage;
import static io.csi4j.testkit.internal.backend.Requests.unstage;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.NodeStageVolumeResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One call at a time for one thing, and any number for different ones. */
class ParallelCallsTest {

  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final StubbornStorage storage = new StubbornStorage();
  private final Asking plugin = new Asking(PluginShape.full(), storage);

  @AfterEach
  void stop() {
    storage.letGo();
    callers.shutdownNow();
  }

  private Future<Message> begun(Message request) throws InterruptedException {
    storage.holdNext();
    Future<Message> call =
        callers.submit(
            () -> {
              try {
                return plugin.ask(request);
              } finally {
                storage.ended();
              }
            });
    assertThat(storage.awaitHeld()).as("the call came to its work").isTrue();
    return call;
  }

  private void aborted(Message request) {
    Refusal refusal = plugin.refusal(request);
    assertThat(refusal.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(refusal.text()).contains("is pending. Wait for it");
  }

  @Test
  void aSecondCallForAVolumeIsAbortedAndTheFirstGoesOn() throws Exception {
    Volume volume = created(plugin, "a");
    Map<String, String> context = attached(plugin, volume, WRITER);
    Future<Message> first = begun(stage(volume, context, WRITER).build());

    aborted(stage(volume, context, WRITER).build());
    aborted(unstage(volume));
    aborted(Requests.delete(volume));
    aborted(Requests.attach(volume, Asking.ONE, WRITER).build());
    aborted(expand(volume, exactly(2 * GIB)));
    aborted(Requests.snapshot("s", volume));

    storage.letGo();
    assertThat(first.get()).isInstanceOf(NodeStageVolumeResponse.class);
    plugin.ask(stage(volume, context, WRITER).build());
  }

  @Test
  void callsForOtherVolumesGoThroughMeanwhile() throws Exception {
    Volume volume = created(plugin, "a");
    Map<String, String> context = attached(plugin, volume, WRITER);
    Volume other = created(plugin, "b");
    Future<Message> first = begun(stage(volume, context, WRITER).build());

    Requests.published(plugin, other, WRITER, "/t/1");
    created(plugin, "c");
    assertThat(first).isNotDone();
  }

  @Test
  void nodesDoNotWaitForEachOther() throws Exception {
    var shared = Requests.SHARED;
    Volume volume = created(plugin, "a", shared);
    Map<String, String> one = attached(plugin, volume, shared);
    Map<String, String> two = attached(plugin, volume, Asking.TWO, shared);
    Future<Message> first = begun(stage(volume, one, shared).build());

    plugin.on(Asking.TWO, Message.class, stage(volume, two, shared).build());
    assertThat(first).isNotDone();
  }

  @Test
  void aSecondCreationOfANameIsAborted() throws Exception {
    Future<Message> first = begun(newVolume("a").build());
    aborted(newVolume("a").build());
    created(plugin, "b");
    storage.letGo();
    assertThat(first.get()).isEqualTo(plugin.ask(newVolume("a").build()));
  }

  @Test
  void whatIsCopiedFromIsInUseAndCanBeCopiedTwice() throws Exception {
    Volume source = created(plugin, "source");
    Snapshot snapshot = cut(plugin, "s", source);
    Future<Message> restore = begun(filledFrom(snapshot, "b").build());
    created(plugin, filledFrom(snapshot, "c"));

    Refusal refusal =
        plugin.refusal(
            DeleteSnapshotRequest.newBuilder().setSnapshotId(snapshot.getSnapshotId()).build());
    assertThat(refusal.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
    assertThat(refusal.text()).contains("is in use");

    storage.letGo();
    assertThat(restore.get()).isInstanceOf(CreateVolumeResponse.class);
    Future<Message> clone = begun(filledFrom(source, "d").build());
    refusal = plugin.refusal(Requests.delete(source));
    assertThat(refusal.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
    assertThat(refusal.text()).contains("is being cloned");
    storage.letGo();
    assertThat(clone.get()).isInstanceOf(CreateVolumeResponse.class);
    plugin.ask(Requests.delete(source));
  }

  @Test
  void aGroupWithAMemberThatIsCopiedFromIsInUse() throws Exception {
    VolumeGroupSnapshot group = group("g", created(plugin, "a"));
    Future<Message> restore = begun(filledFrom(group.getSnapshots(0), "b").build());
    DeleteVolumeGroupSnapshotRequest delete = delete(group);

    Refusal refusal = plugin.refusal(delete);
    assertThat(refusal.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
    storage.letGo();
    assertThat(restore.get()).isInstanceOf(CreateVolumeResponse.class);
    plugin.ask(delete);
  }

  private VolumeGroupSnapshot group(String name, Volume volume) {
    return plugin
        .ask(
            CreateVolumeGroupSnapshotResponse.class,
            CreateVolumeGroupSnapshotRequest.newBuilder()
                .setName(name)
                .addSourceVolumeIds(volume.getVolumeId())
                .build())
        .getGroupSnapshot();
  }

  private static DeleteVolumeGroupSnapshotRequest delete(VolumeGroupSnapshot group) {
    return DeleteVolumeGroupSnapshotRequest.newBuilder()
        .setGroupSnapshotId(group.getGroupSnapshotId())
        .addSnapshotIds(group.getSnapshots(0).getSnapshotId())
        .build();
  }

  @Test
  void aSecondCallForASnapshotIsAborted() throws Exception {
    Snapshot snapshot = cut(plugin, "s", created(plugin, "a"));
    DeleteSnapshotRequest delete =
        DeleteSnapshotRequest.newBuilder().setSnapshotId(snapshot.getSnapshotId()).build();
    Future<Message> first = begun(delete);
    aborted(delete);
    storage.letGo();
    assertThat(first.get()).isInstanceOf(DeleteSnapshotResponse.class);
    plugin.ask(delete);
  }

  @Test
  void ofManyCallsAtOnceForOneNameExactlyOneMakesAVolume() throws Exception {
    Map<StatusCode, Long> outcomes = race(16, i -> newVolume("a").build());
    assertThat(plugin.backend.contents().volumes()).hasSize(1);
    assertThat(outcomes.keySet()).isSubsetOf(StatusCode.OK, StatusCode.ABORTED);
    assertThat(outcomes.get(StatusCode.OK)).isPositive();
  }

  @Test
  void whatIsBeingMadeHasItsSpaceAlready() throws Exception {
    plugin.shape = PluginShape.full().totalBytes(3 * GIB);
    Future<Message> first = begun(newVolume("a").setCapacityRange(exactly(2 * GIB)).build());
    Message second = newVolume("b").setCapacityRange(exactly(2 * GIB)).build();
    assertThat(plugin.refusal(second).code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    storage.letGo();
    assertThat(first.get()).isInstanceOf(CreateVolumeResponse.class);
    assertThat(plugin.refusal(second).code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }

  @Test
  void manyVolumesAtOnceNeverTakeMoreThanThereIs() throws Exception {
    plugin.shape = PluginShape.full().totalBytes(5 * GIB);
    Map<StatusCode, Long> outcomes = race(16, i -> newVolume("a" + i).build());
    assertThat(outcomes).isEqualTo(Map.of(StatusCode.OK, 5L, StatusCode.RESOURCE_EXHAUSTED, 11L));
  }

  @Test
  void whatHasBeenMadeTakesItsSpaceOnceAtEveryMoment() throws Exception {
    plugin.shape = PluginShape.full().totalBytes(5 * GIB);
    assertThat(leastRoom(() -> plugin.ask(Requests.delete(created(plugin, "a")))))
        .isGreaterThanOrEqualTo(4 * GIB);
    assertThat(
            leastRoom(
                () -> {
                  Volume grown = created(plugin, "a");
                  plugin.ask(expand(grown, exactly(2 * GIB)));
                  plugin.ask(Requests.delete(grown));
                }))
        .isGreaterThanOrEqualTo(3 * GIB);
    Volume volume = created(plugin, "a");
    assertThat(
            leastRoom(
                () -> {
                  String snapshot = cut(plugin, "s", volume).getSnapshotId();
                  plugin.ask(DeleteSnapshotRequest.newBuilder().setSnapshotId(snapshot).build());
                }))
        .isGreaterThanOrEqualTo(3 * GIB);
    assertThat(leastRoom(() -> plugin.ask(delete(group("g", volume)))))
        .isGreaterThanOrEqualTo(3 * GIB);
  }

  /** The least capacity that another caller is told while something is done many times. */
  private long leastRoom(Runnable step) throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Future<Long> least =
        callers.submit(
            () -> {
              long seen = Long.MAX_VALUE;
              while (!done.get()) {
                seen = Math.min(seen, capacity());
              }
              return seen;
            });
    for (int i = 0; i < 3000; i++) {
      step.run();
    }
    done.set(true);
    return least.get();
  }

  private long capacity() {
    return plugin
        .ask(GetCapacityResponse.class, GetCapacityRequest.getDefaultInstance())
        .getAvailableCapacity();
  }

  @Test
  void manyAttachmentsAtOnceNeverTakeMoreThanTheNodeHas() throws Exception {
    plugin.shape = PluginShape.full().maxVolumesPerNode(3);
    List<Volume> volumes = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      volumes.add(created(plugin, "a" + i));
    }
    Map<StatusCode, Long> outcomes =
        race(16, i -> Requests.attach(volumes.get(i), Asking.ONE, WRITER).build());
    assertThat(outcomes).isEqualTo(Map.of(StatusCode.OK, 3L, StatusCode.RESOURCE_EXHAUSTED, 13L));
  }

  private interface Numbered {
    Message request(int i);
  }

  private Map<StatusCode, Long> race(int many, Numbered requests) throws Exception {
    CyclicBarrier start = new CyclicBarrier(many);
    List<Callable<StatusCode>> calls = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      Message request = requests.request(i);
      calls.add(
          () -> {
            start.await();
            try {
              assertThat(plugin.answers(Asking.ONE, request)).hasSize(1);
              return StatusCode.OK;
            } catch (Refusal refusal) {
              return refusal.code();
            }
          });
    }
    Map<StatusCode, Long> outcomes = new java.util.EnumMap<>(StatusCode.class);
    for (Future<StatusCode> call : callers.invokeAll(calls)) {
      outcomes.merge(call.get(), 1L, Long::sum);
    }
    return outcomes;
  }
}
