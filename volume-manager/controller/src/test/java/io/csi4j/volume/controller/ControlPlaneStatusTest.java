package io.csi4j.volume.controller;

import static io.csi4j.volume.controller.ControllerWorld.ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.catalog.view.VolumesView;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What two control planes on one store show of their work, and what they explain. */
@Timeout(120)
class ControlPlaneStatusTest {

  private static final VolumeKey DB = VolumeKey.of("db");

  @TempDir Path temp;
  private final ControllerWorld world = new ControllerWorld();
  private final FakeCsiPlugin plugin = world.registered(PluginShape.full());
  private final RecordStore memory = new MemoryStore();
  private final AtomicBoolean isLosing = new AtomicBoolean();
  private final AtomicBoolean isSilent = new AtomicBoolean();
  private final CountDownLatch removing = new CountDownLatch(1);
  private final CountDownLatch goingOn = new CountDownLatch(1);
  private final List<ControllerEvent> seenByOne = new CopyOnWriteArrayList<>();
  private final List<ControllerEvent> seenByTwo = new CopyOnWriteArrayList<>();
  private final VolumeController one =
      open(
          "one",
          new SteppingStore(memory, this::written) {
            @Override
            public Optional<StoredRecord> read(RecordKey key) {
              if (isSilent.get() && key.space() == RecordKey.Space.VOLUMES) {
                throw new RecordStoreException(
                    RecordStoreException.Reason.UNAVAILABLE, "it does not answer", null);
              }
              return super.read(key);
            }
          },
          seenByOne);
  private final VolumeController two = open("two", memory, seenByTwo);

  private VolumeController open(String name, RecordStore store, List<ControllerEvent> events) {
    return VolumeController.builder(world.registry(), store)
        .controlPlane(name)
        .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
        .firstPause(Duration.ofMinutes(10))
        .listener(events::add)
        .told(message -> {})
        .open();
  }

  /** The removal of a record waits for the test, and is never made. */
  private WriteResult written(Optional<CatalogRecord> next, Supplier<WriteResult> write) {
    if (next.isPresent() || !isLosing.getAndSet(false)) {
      return write.get();
    }
    removing.countDown();
    await(goingOn);
    isSilent.set(true);
    return new WriteResult.Unknown(new ReasonText("it does not answer"));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void close() {
    goingOn.countDown();
    one.close();
    two.close();
    memory.close();
    plugin.assertLawful();
    world.close();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .parameters(Map.of("tier", "canary-tier"))
        .build();
  }

  private void failsToDelete(VolumeController controller) {
    plugin.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "not now"),
        When.calling(CsiOperation.DELETE_VOLUME).once());
    ControllerException failed =
        catchThrowableOfType(ControllerException.class, () -> controller.delete(DB));
    assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN);
  }

  @Test
  void bothShowWhoWorksOnAVolumeAndTheTakeOverOfWorkThatWasGivenUp() throws Exception {
    assertThat(one.create(DB, spec()).key()).isEqualTo(DB);
    Waits.until(() -> two.status().volumes().equals(Map.of(VolumeSummary.State.PRESENT, 1)));
    isLosing.set(true);
    CompletableFuture<?> deletion = one.async().delete(DB).toCompletableFuture();
    await(removing);

    ControlPlaneStatus here = one.status();
    assertThat(here.controlPlane()).isEqualTo("one");
    assertThat(here.volumes()).isEqualTo(Map.of(VolumeSummary.State.DELETING, 1));
    assertThat(List.of(here.here(), here.elsewhere())).containsExactly(1, 0);
    assertThat(here.session()).isEqualTo(ControlPlaneStatus.Session.ACTIVE);
    assertThat(here.viewAge()).isEqualTo(Duration.ZERO);
    assertThat(here.readOnly()).isEmpty();
    Waits.until(() -> two.status().elsewhere() == 1);
    ControlPlaneStatus.Pending pending = two.status().pending().get(0);
    assertThat(pending)
        .isEqualTo(
            new ControlPlaneStatus.Pending(
                DB,
                Operation.DELETE,
                pending.since(),
                0,
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.of("one")));
    assertThat(pending.since()).isPresent();
    assertThat(two.explain(DB).lines())
        .contains(
            "  deletion IN_PROGRESS",
            "  control plane 'one' works on it: change, number 2",
            "    if that control plane has ended, another one takes the work over");

    CompletableFuture<?> resumed = two.async().resume(DB).toCompletableFuture();
    Waits.until(() -> seenByTwo.stream().anyMatch(ControllerEvent.Waiting.class::isInstance));
    goingOn.countDown();
    ControllerException lost =
        (ControllerException)
            catchThrowableOfType(ExecutionException.class, () -> deletion.get(30, TimeUnit.SECONDS))
                .getCause();
    assertThat(lost.code()).isEqualTo(OperatorCode.CATALOG_UNCONFIRMED);
    assertThat(resumed.get(30, TimeUnit.SECONDS)).isNull();

    assertThat(seenByTwo).contains(new ControllerEvent.TakenOver(DB, "one"));
    assertThat(seenByOne).noneMatch(ControllerEvent.TakenOver.class::isInstance);
    Waits.until(() -> seenByOne.contains(new ControllerEvent.GivenUp(DB)));
    ControlPlaneStatus after = two.status();
    assertThat(after.volumes()).isEmpty();
    assertThat(after.pending()).isEmpty();
    assertThat(List.of(after.here(), after.elsewhere())).containsExactly(0, 0);
  }

  @Test
  void theWaitForAnotherControlPlaneBeginsAndEndsWithinTheOperation() throws Exception {
    assertThat(one.create(DB, spec()).key()).isEqualTo(DB);
    isLosing.set(true);
    CompletableFuture<?> deletion = one.async().delete(DB).toCompletableFuture();
    await(removing);
    CompletableFuture<?> resumed = two.async().resume(DB).toCompletableFuture();
    Waits.until(() -> seenByTwo.stream().anyMatch(ControllerEvent.Waiting.class::isInstance));
    goingOn.countDown();
    resumed.get(30, TimeUnit.SECONDS);
    assertThat(deletion.handle((done, failed) -> failed != null).get(30, TimeUnit.SECONDS))
        .isTrue();

    List<ControllerEvent> of =
        seenByTwo.stream()
            .filter(
                each ->
                    each instanceof ControllerEvent.Started
                        || each instanceof ControllerEvent.Waiting
                        || each instanceof ControllerEvent.Waited
                        || each instanceof ControllerEvent.Ended)
            .toList();
    assertThat(of).hasSize(4);
    ControllerEvent.Started started = (ControllerEvent.Started) of.get(0);
    ControllerEvent.Waiting waiting = new ControllerEvent.Waiting(started.id(), DB, "one");
    assertThat(of.get(1)).isEqualTo(waiting);
    assertThat(((ControllerEvent.Waited) of.get(2)).waiting()).isEqualTo(waiting);
    assertThat(((ControllerEvent.Ended) of.get(3)).started()).isEqualTo(started);
  }

  @Test
  void whatIsPendingIsExplainedAsTheProgramDoesAndWithTheAttemptsOfTheControlPlane() {
    assertThat(one.explain(DB).lines()).containsExactly("volume default/db: it is not recorded");
    assertThat(one.create(DB, spec()).key()).isEqualTo(DB);
    assertThat(one.explain(DB).lines()).isEqualTo(programLines()).contains("  nothing is pending");
    failsToDelete(one);

    VolumeExplanation why = one.explain(DB);
    assertThat(why.pending().orElseThrow().operation()).isEqualTo(Operation.DELETE);
    assertThat(why.pending().orElseThrow().next()).isPresent();
    assertThat(why.lines())
        .containsAll(programLines())
        .contains("  next attempt: " + why.pending().orElseThrow().next().orElseThrow());
    assertThat(why.lines())
        .contains(
            "    csi4j retries after growing pauses; resume retries at once. Deregister the volume"
                + " to keep it at the storage system.");

    one.resume(DB);
    assertThat(one.explain(DB).pending()).isEmpty();
    assertThat(plugin.contents().empty()).isTrue();
  }

  /** The lines of {@code csi4j volumes explain}. */
  private List<String> programLines() {
    return VolumeExplanation.of(VolumesView.find(memory, DB).orElseThrow()).lines();
  }

  @Test
  void aChoreIsThatOfTheControlPlaneThatHadItAtTheLastRequest() {
    assertThat(one.status().upkeep()).isEmpty();
    assertThat(one.takeUpkeep("reap")).isEmpty();
    assertThat(two.takeUpkeep("reap")).contains("one");

    assertThat(one.status().chores()).containsExactly("reap");
    assertThat(two.status().chores()).isEmpty();
    assertThat(two.status().upkeep()).containsExactly(Map.entry("reap", "one"));
    one.leaveUpkeep("reap");
    assertThat(one.status().chores()).isEmpty();
  }

  // ---- the report

  @Test
  void aReportHasWhatIsKnownAndNoValueOfAParameter() throws IOException {
    assertThat(one.create(DB, spec()).key()).isEqualTo(DB);
    failsToDelete(one);
    Path archive = temp.resolve("report.zip");

    one.dump(archive);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive)))
        .isEqualTo("rw-------");
    Map<String, String> entries = entries(archive);
    assertThat(entries)
        .containsOnlyKeys(
            "versions.txt", "status.txt", "plugins.txt", "nodes.txt", "volumes.txt", "explain.txt");
    assertThat(entries.get("versions.txt")).contains("control plane 'one'");
    assertThat(entries.get("status.txt"))
        .contains("DELETING 1")
        .contains("pending: 1, of which 0 wait for a person")
        .contains("store: accepts writes");
    assertThat(entries.get("plugins.txt")).contains("plugin 'fake', instance 'only'");
    assertThat(entries.get("volumes.txt")).contains("default/db: DELETING, plugin 'fake'");
    assertThat(entries.get("explain.txt")).contains("  deletion IN_PROGRESS");
    assertThat(entries.toString()).doesNotContain("canary-tier");

    ControllerException there =
        catchThrowableOfType(ControllerException.class, () -> one.dump(archive));
    assertThat(there.code()).isEqualTo(OperatorCode.PATH_IN_THE_WAY);
    assertThat(there.outcome()).isEqualTo(ChangeOutcome.REFUSED);
    OperatorMessage message = there.operatorMessage();
    assertThat(message.line()).contains("it is there already").contains(archive.toString());
  }

  private static Map<String, String> entries(Path archive) throws IOException {
    Map<String, String> entries = new TreeMap<>();
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry each = zip.getNextEntry(); each != null; each = zip.getNextEntry()) {
        entries.put(each.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return entries;
  }
}
