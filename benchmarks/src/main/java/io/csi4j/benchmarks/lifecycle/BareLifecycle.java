package io.csi4j.benchmarks.lifecycle;

import io.csi4j.benchmarks.Callers;
import io.csi4j.client.internal.proto.NodeGrpc;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.MountRequest;
import io.grpc.Channel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Makes the four calls that mount a volume and unmount it, by the stub that gRPC generates, and
 * distributes syncs evenly before, between and after the calls. The calls have the same paths,
 * deadlines and contents as the calls of a manager.
 */
final class BareLifecycle implements Callers.Work {

  private static final int CALLS = 4;

  /** The deadline of each call, which is the same as with a manager. */
  static final long DEADLINE_MILLIS =
      CallPolicy.defaultFor(CsiOperation.NODE_STAGE_VOLUME).attemptDeadline().toMillis();

  private final NodeGrpc.NodeBlockingStub node;
  private final VolumeLayout layout;
  private final IntFunction<MountRequest> requests;
  private final BareSyncs log;
  private final List<Integer> records;
  private final Optional<BareDirectories> directories;

  /**
   * Creates the lifecycle on this channel.
   *
   * @param root the directory above all paths; nothing is created there
   * @param requests the mount requests that a manager would receive
   * @param records the sizes of the records that are appended and synced
   * @param directories creates and removes directories, if this is also measured
   */
  BareLifecycle(
      Channel channel,
      Path root,
      IntFunction<MountRequest> requests,
      BareSyncs log,
      List<Integer> records,
      Optional<BareDirectories> directories) {
    node = NodeGrpc.newBlockingStub(channel);
    layout = new VolumeLayout(MountPath.of(root));
    this.requests = requests;
    this.log = log;
    this.records = List.copyOf(records);
    this.directories = directories;
  }

  /**
   * Creates the directories that plugins expect: the staging directory, and the parent of the
   * target.
   */
  BareLifecycle prepared(int caller) throws IOException {
    MountRequest request = requests.apply(caller);
    VolumeIdentity identity = FourCalls.identity(request);
    Files.createDirectories(layout.staging(identity).toPath());
    Files.createDirectories(layout.use(identity, request.usage()).toPath());
    return this;
  }

  @Override
  public void doOnce(int caller) throws DiskException {
    FourCalls calls = FourCalls.of(layout, requests.apply(caller));
    sync(0);
    if (directories.isPresent()) {
      directories.get().makeVolume(caller);
    }
    Object staged = stub().nodeStageVolume(calls.stage());
    sync(1);
    if (directories.isPresent()) {
      directories.get().makeUse(caller);
    }
    Object published = stub().nodePublishVolume(calls.publish());
    sync(2);
    Object unpublished = stub().nodeUnpublishVolume(calls.unpublish());
    sync(3);
    if (directories.isPresent()) {
      directories.get().removeUse(caller);
    }
    Object unstaged = stub().nodeUnstageVolume(calls.unstage());
    if (directories.isPresent()) {
      directories.get().removeVolume(caller);
    }
    sync(4);
    if (staged == null || published == null || unpublished == null || unstaged == null) {
      throw new IllegalStateException("no answer");
    }
  }

  private NodeGrpc.NodeBlockingStub stub() {
    return node.withDeadlineAfter(DEADLINE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Syncs the share of the records that belongs before, between or after the calls. */
  private void sync(int part) throws DiskException {
    int count = records.size();
    for (int i = count * part / (CALLS + 1); i < count * (part + 1) / (CALLS + 1); i++) {
      log.append(records.get(i));
    }
  }
}
