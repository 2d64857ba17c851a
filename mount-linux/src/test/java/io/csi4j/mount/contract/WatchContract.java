package io.csi4j.mount.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.MountWatch.Watching;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountEvent.Attached;
import io.csi4j.mount.model.MountEvent.Changed;
import io.csi4j.mount.model.MountEvent.Detached;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What is told of changes: cases N of the mount facts. */
public abstract class WatchContract extends MountsContract {

  private final BlockingQueue<MountEvent> events = new LinkedBlockingQueue<>();

  /** The next event of which this is true; others are passed over. */
  private MountEvent next(Predicate<MountEvent> wanted) {
    return next(events, wanted);
  }

  private static MountEvent next(BlockingQueue<MountEvent> told, Predicate<MountEvent> wanted) {
    List<MountEvent> others = new ArrayList<>();
    try {
      for (MountEvent event = told.poll(20, TimeUnit.SECONDS);
          event != null;
          event = told.poll(20, TimeUnit.SECONDS)) {
        if (wanted.test(event)) {
          return event;
        }
        others.add(event);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("the event that was waited for did not come, but " + others);
  }

  private static Predicate<MountEvent> attached(MountPath path) {
    return event -> event instanceof Attached attached && attached.mount().path().equals(path);
  }

  private static Predicate<MountEvent> detached(MountRef ref) {
    return event -> event instanceof Detached detached && detached.mount().ref().equals(ref);
  }

  @Test
  void whatIsMountedAndUnmountedIsTold() {
    try (Watching watching = world.watch().start(events::add)) {
      MountPath mount = world.tmpfs("mount");
      MountRecord record = record(mount);
      Attached came = (Attached) next(attached(mount));
      assertThat(came.mount()).isEqualTo(record);

      world.mounts().unmount(mount, ONCE);
      Detached went = (Detached) next(detached(record.ref()));
      assertThat(went.mount().path()).isEqualTo(mount);
      assertThat(watching.source()).isNotBlank();
    }
  }

  @Test
  void theStartIsWhatWasThere() {
    MountPath mount = world.tmpfs("mount");

    try (Watching watching = world.watch().start(events::add)) {
      assertThat(watching.start().at(mount)).contains(record(mount));
      world.tmpfs("other");
      next(attached(world.path("other")));
      assertThat(watching.start().at(world.path("other"))).isEmpty();
    }
  }

  @Test
  void everyMountOfATreeThatGoesLazilyIsTold() {
    MountPath mount = world.tmpfs("mount");
    MountRef outer = record(mount).ref();
    MountRef inner = record(world.tmpfs("mount/below")).ref();

    try (Watching watching = world.watch().start(events::add)) {
      world.detach(mount);

      java.util.Set<MountRef> gone = new java.util.HashSet<>();
      while (gone.size() < 2) {
        Detached went = (Detached) next(event -> event instanceof Detached);
        gone.add(went.mount().ref());
      }
      assertThat(gone).containsExactlyInAnyOrder(outer, inner);
    }
  }

  @Test
  void aMountThatBecomesReadOnlyIsTold() {
    MountPath mount = world.tmpfs("mount");
    MountRecord before = record(mount);

    try (Watching watching = world.watch().start(events::add)) {
      world.mounts().setReadOnly(mount, false);

      Changed changed = (Changed) next(event -> event instanceof Changed);
      assertThat(changed.before()).isEqualTo(before);
      assertThat(changed.now()).isEqualTo(record(mount));
      assertThat(changed.now().isReadOnly()).isTrue();
    }
  }

  @Test
  void aListenerThatThrowsIsToldTheNextChange() {
    try (Watching watching =
        world
            .watch()
            .start(
                event -> {
                  events.add(event);
                  throw new IllegalStateException("a listener that fails on purpose");
                })) {
      world.tmpfs("one");
      next(attached(world.path("one")));
      world.tmpfs("two");
      next(attached(world.path("two")));
    }
  }

  @Test
  void afterTheEndNothingIsTold() {
    Watching first = world.watch().start(events::add);
    first.close();
    first.close();
    BlockingQueue<MountEvent> others = new LinkedBlockingQueue<>();

    try (Watching second = world.watch().start(others::add)) {
      world.tmpfs("mount");
      next(others, attached(world.path("mount")));
    }

    assertThat(events).isEmpty();
  }

  @Test
  void aListenerMayEndItsWatch() {
    Watching[] watching = new Watching[1];
    java.util.concurrent.CountDownLatch known = new java.util.concurrent.CountDownLatch(1);
    watching[0] =
        world
            .watch()
            .start(
                event -> {
                  try {
                    known.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                  events.add(event);
                  watching[0].close();
                });
    known.countDown();

    world.tmpfs("mount");
    next(attached(world.path("mount")));

    watching[0].close();
    world.tmpfs("other");
    assertThat(events).isEmpty();
  }
}
