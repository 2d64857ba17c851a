package io.csi4j.volume.workload;

import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.VolumeMounter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/** Mounts the volumes of a workload at the same time, all of them or none. */
final class AllOrNothing {

  private AllOrNothing() {}

  /**
   * Mounts them. What was there before stays in any case.
   *
   * @throws VolumeException with the first failure in the order of the requests
   */
  public static List<MountedVolume> mount(VolumeMounter mounter, List<MountRequest> requests) {
    Set<UsageKey> before =
        requests.stream()
            .map(MountRequest::usage)
            .filter(usage -> mounter.usage(usage.volume()).contains(usage.workload()))
            .collect(Collectors.toSet());
    List<CompletableFuture<MountedVolume>> begun =
        requests.stream()
            .map(request -> mounter.async().mount(request).toCompletableFuture())
            .toList();
    List<MountedVolume> mounted = new ArrayList<>();
    try {
      for (int i = 0; i < begun.size(); i++) {
        mounted.add(end(mounter, requests.get(i), begun.get(i)));
      }
      return List.copyOf(mounted);
    } catch (VolumeException failed) {
      if (failed.outcome() != Outcome.IN_PROGRESS) {
        requests.stream()
            .map(MountRequest::usage)
            .filter(usage -> !before.contains(usage))
            .forEach(mounter.async()::unmount);
      }
      throw failed;
    }
  }

  /** Waits as a blocking caller does: asking again joins what goes on. */
  private static MountedVolume end(
      VolumeMounter mounter, MountRequest request, CompletableFuture<MountedVolume> begun) {
    if (!begun.isDone()) {
      return mounter.mount(request);
    }
    try {
      return begun.join();
    } catch (CompletionException ended) {
      if (ended.getCause() instanceof VolumeException failed) {
        throw failed;
      }
      throw ended;
    }
  }
}
