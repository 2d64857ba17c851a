package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.store.local.LocalStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The events of a controller's operations. */
class ControllerListenerTest {

  private static final VolumeKey DB = VolumeKey.of("db");

  private final ControllerWorld world = new ControllerWorld();
  private final Notes notes = new Notes();
  private FakeCsiPlugin plugin;
  private VolumeController controller;

  /** The events, and the threads on which they come. */
  private static final class Notes implements ControllerEvent.Listener {
    final List<Object> events = new CopyOnWriteArrayList<>();
    final List<String> threads = new CopyOnWriteArrayList<>();

    @Override
    public void asked(OperationId operation) {
      events.add(operation);
      threads.add(Thread.currentThread().getName());
    }

    @Override
    public void on(ControllerEvent event) {
      events.add(event);
      threads.add(Thread.currentThread().getName());
    }

    @Override
    public WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
      events.add(call);
      threads.add(Thread.currentThread().getName());
      return work -> {
        events.add("sending");
        threads.add(Thread.currentThread().getName());
        work.run();
      };
    }
  }

  @BeforeEach
  void open() {
    plugin = world.registered(PluginShape.full());
    controller =
        VolumeController.builder(world.registry(), LocalStore.on(MemoryMedium.create().open()))
            .listener(notes)
            .settings(ControllerSettings.builder().policy(policy -> policy.attempts(1)).build())
            .open();
  }

  @AfterEach
  void close() {
    controller.close();
    world.close();
  }

  private static VolumeSpec spec() {
    return VolumeSpec.builder(ControllerWorld.ID)
        .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
        .build();
  }

  @Test
  void anOperationIsRequestedBeginsCallsAndEnds() {
    assertThat(controller.create(DB, spec()).key()).isEqualTo(DB);

    assertThat(notes.events).hasSize(6);
    OperationId id = (OperationId) notes.events.get(0);
    ControllerEvent.Started started =
        new ControllerEvent.Started(id, Operation.CREATE, Optional.of(DB));
    assertThat(notes.events.get(1)).isEqualTo(started);
    assertThat(notes.events.get(2)).isEqualTo(CsiOperation.CREATE_VOLUME);
    assertThat(notes.events.get(3)).isEqualTo("sending");
    ControllerEvent.Called called = (ControllerEvent.Called) notes.events.get(4);
    assertThat(called)
        .isEqualTo(
            new ControllerEvent.Called(
                id,
                ControllerWorld.ID,
                CsiOperation.CREATE_VOLUME,
                StatusCode.OK,
                true,
                called.elapsed(),
                Optional.of(plugin.endpoint())));
    ControllerEvent.Ended ended = (ControllerEvent.Ended) notes.events.get(5);
    assertThat(ended.started()).isEqualTo(started);
    assertThat(ended.failure()).isEmpty();
    assertThat(ended.elapsed()).isGreaterThanOrEqualTo(called.elapsed());

    assertThat(notes.threads.get(0)).isEqualTo(Thread.currentThread().getName());
    assertThat(List.of(notes.threads.get(1), notes.threads.get(2), notes.threads.get(5)))
        .as("it begins and ends on its own thread")
        .containsOnly(notes.threads.get(1));
    assertThat(notes.threads.get(1)).startsWith("csi4j-volume-controller-");
  }

  @Test
  void aFailureHasItsCode() {
    plugin.inject(
        Fault.fail(StatusCode.RESOURCE_EXHAUSTED, "full"),
        When.calling(CsiOperation.CREATE_VOLUME));
    ControllerException failed =
        catchThrowableOfType(ControllerException.class, () -> controller.create(DB, spec()));

    assertThat(ends()).containsExactly(Optional.of(failed.code()));
    assertThat(calls())
        .extracting(ControllerEvent.Called::code, ControllerEvent.Called::isSent)
        .contains(org.assertj.core.groups.Tuple.tuple(StatusCode.RESOURCE_EXHAUSTED, true));
  }

  @Test
  void aCallToAPluginThatIsGoneCountsAsNotSent() {
    assertThat(controller.create(DB, spec()).key()).isEqualTo(DB);
    notes.events.clear();
    plugin.stop();
    ControllerException failed =
        catchThrowableOfType(ControllerException.class, () -> controller.delete(DB));

    assertThat(failed.code()).isEqualTo(OperatorCode.PLUGIN_NOT_UP);
    assertThat(ends()).contains(Optional.of(OperatorCode.PLUGIN_NOT_UP));
    assertThat(calls())
        .isNotEmpty()
        .allMatch(call -> call.code() == StatusCode.UNAVAILABLE && !call.isSent());
    plugin.start();
  }

  @Test
  void everyKindOfOperationIsNamed() {
    controller.create(DB, spec());
    controller.modify(DB, Map.of("iops", "100"));
    controller.resume(DB);
    controller.inspect(DB);
    var snapshot = controller.createSnapshot(DB, SnapshotName.of("s"), Map.of());
    controller.dropSnapshot(DB, SnapshotName.of("s"));
    controller.deleteSnapshot(ControllerWorld.ID, snapshot, Optional.empty());
    controller.deregister(DB);

    assertThat(
            notes.events.stream()
                .filter(ControllerEvent.Started.class::isInstance)
                .map(each -> ((ControllerEvent.Started) each).operation()))
        .containsExactly(
            Operation.CREATE,
            Operation.MODIFY,
            Operation.RESUME,
            Operation.INSPECT,
            Operation.CREATE_SNAPSHOT,
            Operation.DELETE_SNAPSHOT,
            Operation.DELETE_SNAPSHOT,
            Operation.DEREGISTER);
    assertThat(ends()).hasSize(8).containsOnly(Optional.empty());
  }

  private List<ControllerEvent.Called> calls() {
    return notes.events.stream()
        .filter(ControllerEvent.Called.class::isInstance)
        .map(ControllerEvent.Called.class::cast)
        .toList();
  }

  private List<Optional<OperatorCode>> ends() {
    return notes.events.stream()
        .filter(ControllerEvent.Ended.class::isInstance)
        .map(each -> ((ControllerEvent.Ended) each).failure().map(OperatorMessage::code))
        .toList();
  }
}
