package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.testkit.effects.NodeEffects;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A storage whose next call can be held, and that can be broken. */
final class StubbornStorage implements Storage {

  private final MemoryStorage memory = new MemoryStorage(NodeEffects.none());
  private final AtomicBoolean holdNext = new AtomicBoolean();
  private volatile CountDownLatch held = new CountDownLatch(1);
  private volatile CountDownLatch gate = new CountDownLatch(1);
  volatile boolean broken;
  volatile boolean full;

  /** The volumes and snapshots that take space. */
  final Set<String> bytes = ConcurrentHashMap.newKeySet();

  void holdNext() {
    held = new CountDownLatch(1);
    gate = new CountDownLatch(1);
    holdNext.set(true);
  }

  /** Waits until a call is held, or {@link #ended} was called; whether one is held. */
  boolean awaitHeld() throws InterruptedException {
    held.await();
    return !holdNext.get();
  }

  /** Tells that the call that was to be held has come to its end. */
  void ended() {
    held.countDown();
  }

  void letGo() {
    gate.countDown();
  }

  private void pass() throws IOException {
    if (holdNext.compareAndSet(true, false)) {
      held.countDown();
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
    }
    if (broken) {
      throw new IOException("the disk is broken");
    }
  }

  @Override
  public State load() {
    return memory.load();
  }

  @Override
  public void save(State state) throws IOException {
    if (full) {
      throw new IOException("no space for the state");
    }
    memory.save(state);
  }

  @Override
  public void create(Volume volume, CreateVolumeRequest asked) throws IOException {
    pass();
    memory.create(volume, asked);
    bytes.add(volume.getVolumeId());
  }

  @Override
  public void delete(String volume) throws IOException {
    pass();
    memory.delete(volume);
    bytes.remove(volume);
  }

  @Override
  public void snapshot(String snapshot, String volume) throws IOException {
    pass();
    memory.snapshot(snapshot, volume);
    bytes.add(snapshot);
  }

  @Override
  public void deleteSnapshot(String snapshot) throws IOException {
    pass();
    memory.deleteSnapshot(snapshot);
    bytes.remove(snapshot);
  }

  @Override
  public void expand(String volume, long bytes) throws IOException {
    pass();
    memory.expand(volume, bytes);
  }

  @Override
  public void stage(NodeStageVolumeRequest asked) throws IOException {
    pass();
    memory.stage(asked);
  }

  @Override
  public void unstage(String volume, String staging) throws IOException {
    pass();
    memory.unstage(volume, staging);
  }

  @Override
  public void publish(NodePublishVolumeRequest asked) throws IOException {
    pass();
    memory.publish(asked);
  }

  @Override
  public void unpublish(String volume, String target, boolean leaveTarget) throws IOException {
    pass();
    memory.unpublish(volume, target, leaveTarget);
  }

  @Override
  public void expandOnNode(String volume, String path, long bytes) throws IOException {
    pass();
    memory.expandOnNode(volume, path, bytes);
  }

  @Override
  public List<VolumeUsage> usage(Volume volume, String path) throws IOException {
    pass();
    return memory.usage(volume, path);
  }

  @Override
  public List<BlockMetadata> blocks(String snapshot, @Nullable String base) throws IOException {
    pass();
    return memory.blocks(snapshot, base);
  }
}
