package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.OUT_OF_RANGE;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.FAR_TOO_MUCH;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.bigger;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.capability;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.inMode;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.otherCapability;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDelete;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDetach;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toExpand;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toExpandOnNode;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toPublish;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toReadStats;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toStage;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toUnpublish;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toUnstage;

import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeCapability.AccessTypeCase;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.text.SafeText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** The work of a plugin on the node where volumes are used. */
final class NodeCases {

  private static final NodeGetInfoRequest INFO = NodeGetInfoRequest.getDefaultInstance();

  private NodeCases() {}

  static void addTo(CaseSteps all) {
    self(all);
    staged(all);
    unstaged(all);
    published(all);
    publishedReadonly(all);
    publishedElsewhere(all);
    unpublished(all);
    stats(all);
    expanded(all);
    lives(all);
  }

  private static void self(CaseSteps all) {
    all.add(
        "node/capabilities/are-well-formed",
        t -> {
          for (NodeServiceCapability each : offered(t)) {
            t.check(each.hasRpc(), "a type in each capability", "a capability without type");
            if (each.getRpc().getType() == NodeServiceCapability.RPC.Type.UNKNOWN) {
              t.advise("The capability UNKNOWN (0) tells nobody anything.");
            }
          }
        });
    all.add(
        "node/capabilities/stay-the-same",
        t ->
            t.check(
                new HashSet<>(offered(t)).equals(new HashSet<>(offered(t))),
                "the same capabilities",
                "others"));
    all.add(
        "node/capabilities/what-is-not-offered-is-not-implemented",
        t -> {
          t.unoffered(Need.STAGING, NodeStageVolumeRequest.getDefaultInstance());
          t.unoffered(Need.STATS, NodeGetVolumeStatsRequest.getDefaultInstance());
          t.unoffered(Need.NODE_HEALTH, NodeGetVolumeHealthRequest.getDefaultInstance());
          t.unoffered(Need.STORAGE_HEALTH, NodeGetStorageHealthRequest.getDefaultInstance());
          t.unoffered(Need.NODE_EXPAND, NodeExpandVolumeRequest.getDefaultInstance());
        });
    all.add(
        "node/info/the-node-has-an-id",
        t -> {
          NodeGetInfoResponse info = t.ok(INFO, NodeGetInfoResponse.class);
          int bytes = SafeText.utf8Length(info.getNodeId());
          t.check(bytes > 0, "a node_id", "an empty one");
          t.check(bytes <= 256, "a node_id of at most 256 bytes", bytes + " bytes");
          t.check(
              info.getMaxVolumesPerNode() >= 0,
              "max_volumes_per_node that is not negative",
              String.valueOf(info.getMaxVolumesPerNode()));
          t.adviseSize("node_id", info.getNodeId());
        });
    all.add(
        "node/info/stays-the-same",
        t -> {
          NodeGetInfoResponse first = t.ok(INFO, NodeGetInfoResponse.class);
          NodeGetInfoResponse again = t.ok(INFO, NodeGetInfoResponse.class);
          t.check(
              first.getNodeId().equals(again.getNodeId())
                  && first.getAccessibleTopology().equals(again.getAccessibleTopology()),
              "the same node_id and topology",
              "others");
        });
  }

  private static List<NodeServiceCapability> offered(Trial t) throws CaseEndedException {
    return t.ok(NodeGetCapabilitiesRequest.getDefaultInstance(), NodeGetCapabilitiesResponse.class)
        .getCapabilitiesList();
  }

  /** A request to stage a new volume, which is attached. */
  private static NodeStageVolumeRequest.Builder toStageNew(Trial t) throws CaseEndedException {
    Volume volume = t.volume();
    return toStage(t, volume, t.attach(volume));
  }

  private static void staged(CaseSteps all) {
    all.required(
        "node/stage", t -> toStageNew(t), "volume_id", "staging_target_path", "volume_capability");
    all.add(
        "node/stage/an-unknown-volume-is-not-found",
        t -> t.refusedBest(toStage(t, NO_SUCH_VOLUME, Map.of()), NOT_FOUND));
    all.add("node/stage/again-succeeds", t -> t.okTwice(toStageNew(t)));
    all.add(
        "node/stage/another-capability-is-refused",
        t -> {
          var request = toStageNew(t);
          t.ok(request);
          t.refusedBest(
              request.setVolumeCapability(otherCapability(t)), ALREADY_EXISTS, FAILED_PRECONDITION);
        });
    all.add(
        "node/stage/the-staging-path-stays-a-directory",
        t -> {
          var request = toStageNew(t);
          t.ok(request);
          t.check(
              Files.isDirectory(t.paths().here(request.getStagingTargetPath())),
              "a directory at the staging path",
              "none");
        });
  }

  private static void unstaged(CaseSteps all) {
    all.required("node/unstage", t -> toUnstage(t, t.volume()), "volume_id", "staging_target_path");
    all.add(
        "node/unstage/again-succeeds",
        t -> {
          Volume volume = t.volume();
          t.stage(volume);
          t.okTwice(toUnstage(t, volume));
        });
    all.add(
        "node/unstage/a-volume-that-was-never-staged-succeeds",
        t -> t.ok(toUnstage(t, t.volume())));
    all.add(
        "node/unstage/an-unknown-volume-is-unstaged-or-not-found",
        t -> t.best(toUnstage(t, NO_SUCH_VOLUME), NOT_FOUND, OK));
    all.add(
        "node/unstage/a-published-volume-is-better-kept",
        t -> {
          Volume volume = t.volume();
          var request = t.publish(volume);
          Reply reply = t.best(toUnstage(t, volume), FAILED_PRECONDITION);
          t.check(isThere(t, request.getTargetPath()), "the target path stays", "it is gone");
          // So that the volume can be unpublished in order.
          if (reply.isOk()) {
            t.call(toUnpublish(t, volume));
          }
        });
    all.add(
        "node/unstage/the-volume-can-be-staged-otherwise",
        t -> {
          Volume volume = t.volume();
          var context = t.stage(volume);
          t.ok(toUnstage(t, volume));
          t.ok(toStage(t, volume, context).setStagingTargetPath(t.paths().staging("staging-2")));
        });
  }

  /** Whether anything is at a path of the plugin. */
  private static boolean isThere(Trial t, String path) {
    return Files.exists(t.paths().here(path), LinkOption.NOFOLLOW_LINKS);
  }

  /** A request to publish a new volume, which is staged. */
  private static NodePublishVolumeRequest.Builder toPublishNew(Trial t) throws CaseEndedException {
    Volume volume = t.volume();
    return toPublish(t, volume, t.stage(volume));
  }

  /** Publishes a new volume that is used in this way; the request. */
  private static NodePublishVolumeRequest publishNew(Trial t, VolumeCapability capability)
      throws CaseEndedException {
    return t.publish(t.volume(capability), capability);
  }

  private static void published(CaseSteps all) {
    all.required(
        "node/publish", t -> toPublishNew(t), "volume_id", "target_path", "volume_capability");
    all.add(
        "node/publish/without-a-staging-path-is-refused",
        t -> t.refused(toPublishNew(t).clearStagingTargetPath(), FAILED_PRECONDITION));
    all.add(
        "node/publish/an-unknown-volume-is-not-found",
        t -> t.refusedBest(toPublish(t, NO_SUCH_VOLUME, Map.of()), NOT_FOUND));
    all.add(
        "node/publish/makes-a-directory-for-a-filesystem",
        t -> {
          var request = publishNew(t, capability(t, AccessTypeCase.MOUNT));
          t.check(
              Files.isDirectory(t.paths().here(request.getTargetPath())),
              "a directory at the target path",
              "none");
        });
    all.add(
        "node/publish/makes-a-file-for-a-block-device",
        t -> {
          var request = publishNew(t, capability(t, AccessTypeCase.BLOCK));
          Path target = t.paths().here(request.getTargetPath());
          t.check(
              Files.exists(target) && !Files.isDirectory(target),
              "a file or device at the target path",
              Files.exists(target) ? "a directory" : "nothing");
        });
    all.add("node/publish/again-succeeds", t -> t.ok(t.publish(t.volume())));
    all.add(
        "node/publish/another-capability-at-the-same-target-is-refused",
        t ->
            t.refusedBest(
                t.publish(t.volume()).toBuilder().setVolumeCapability(otherCapability(t)),
                ALREADY_EXISTS,
                FAILED_PRECONDITION));
  }

  private static void publishedReadonly(CaseSteps all) {
    all.add(
        "node/publish/readonly-at-a-writable-target-is-refused",
        t -> t.refused(t.publish(t.volume()).toBuilder().setReadonly(true), ALREADY_EXISTS));
    all.add(
        "node/publish/readonly-is-published", t -> t.okTwice(toPublishNew(t).setReadonly(true)));
    all.add(
        "node/publish/readonly-cannot-be-written",
        t -> {
          VolumeCapability capability = capability(t, AccessTypeCase.MOUNT);
          Volume volume = t.volume(capability);
          var request =
              toPublish(t, volume, t.stage(volume, capability))
                  .setVolumeCapability(capability)
                  .setReadonly(true);
          t.ok(request);
          Path target = t.paths().here(request.getTargetPath());
          needMount(target);
          t.check(!write(target.resolve("csi4j")), "writing fails", "a file was written");
        });
  }

  private static void publishedElsewhere(CaseSteps all) {
    all.add(
        "node/publish/second-target-of-a-single-node-volume-is-refused",
        t -> t.refused(toPublishElsewhere(t, t.publish(t.volume())), FAILED_PRECONDITION));
    all.add(
        "node/publish/second-target-with-another-capability-is-refused",
        t ->
            t.refusedBest(
                toPublishElsewhere(t, t.publish(t.volume()))
                    .setVolumeCapability(otherCapability(t)),
                FAILED_PRECONDITION));
    all.add(
        "node/publish/several-targets-for-several-writers",
        t -> {
          var request = publishNew(t, inMode(capability(t), Mode.SINGLE_NODE_MULTI_WRITER));
          t.ok(toPublishElsewhere(t, request));
        });
    all.add(
        "node/publish/second-target-for-a-single-writer-is-refused",
        t -> {
          var request = publishNew(t, inMode(capability(t), Mode.SINGLE_NODE_SINGLE_WRITER));
          t.refused(toPublishElsewhere(t, request), FAILED_PRECONDITION);
        });
  }

  private static NodePublishVolumeRequest.Builder toPublishElsewhere(
      Trial t, NodePublishVolumeRequest request) throws CaseEndedException {
    return request.toBuilder().setTargetPath(t.paths().target("target-2"));
  }

  private static void unpublished(CaseSteps all) {
    all.required("node/unpublish", t -> toUnpublish(t, t.volume()), "volume_id", "target_path");
    all.add(
        "node/unpublish/removes-the-target-path",
        t -> {
          Volume volume = t.volume();
          var request = t.publish(volume);
          t.ok(toUnpublish(t, volume));
          t.check(
              !isThere(t, request.getTargetPath()),
              "nothing at the target path",
              "something is left there");
        });
    all.add("node/unpublish/again-succeeds", t -> t.okTwice(toUnpublish(t, t.publishedVolume())));
    all.add(
        "node/unpublish/a-volume-that-was-never-published-succeeds",
        t -> t.ok(toUnpublish(t, t.volume())));
    all.add(
        "node/unpublish/an-unknown-volume-is-unpublished-or-not-found",
        t -> t.best(toUnpublish(t, NO_SUCH_VOLUME), NOT_FOUND, OK));
  }

  private static void stats(CaseSteps all) {
    all.required(
        "node/stats", t -> toReadStats(t, t.publishedVolume()), "volume_id", "volume_path");
    all.add(
        "node/stats/an-unknown-volume-is-not-found",
        t -> t.refused(toReadStats(t, NO_SUCH_VOLUME), NOT_FOUND));
    all.add(
        "node/stats/a-path-without-the-volume-is-not-found",
        t ->
            t.refused(
                toReadStats(t, t.publishedVolume()).setVolumePath(t.paths().target("nowhere")),
                NOT_FOUND));
    all.add(
        "node/stats/tells-how-full-a-volume-is",
        t -> {
          var answer = t.ok(toReadStats(t, t.publishedVolume()), NodeGetVolumeStatsResponse.class);
          if (answer.getUsageCount() == 0) {
            t.advise("NodeGetVolumeStats tells no usage.");
          }
          for (VolumeUsage each : answer.getUsageList()) {
            t.check(
                each.getUnit() == VolumeUsage.Unit.BYTES
                    || each.getUnit() == VolumeUsage.Unit.INODES,
                "the unit BYTES or INODES",
                String.valueOf(each.getUnit()));
            t.check(
                each.getTotal() >= 0 && each.getUsed() >= 0 && each.getAvailable() >= 0,
                "numbers that are not negative",
                each.getTotal()
                    + ", "
                    + each.getUsed()
                    + " used, "
                    + each.getAvailable()
                    + " available");
          }
        });
  }

  private static void expanded(CaseSteps all) {
    all.required(
        "node/expand",
        t -> toExpandOnNode(t, t.publishedVolume(), t.plugin().volumeBytes()),
        "volume_id",
        "volume_path");
    all.add(
        "node/expand/an-unknown-volume-is-not-found",
        t -> t.refused(toExpandOnNode(t, NO_SUCH_VOLUME, t.plugin().volumeBytes()), NOT_FOUND));
    all.add(
        "node/expand/a-published-volume-grows",
        t -> {
          Volume volume = t.create();
          t.publish(volume);
          long bytes = bigger(t);
          if (Need.EXPAND.met(t)) {
            t.ok(toExpand(t, volume, bytes));
          }
          t.ok(toExpandOnNode(t, volume, bytes));
          long size =
              t.ok(toExpandOnNode(t, volume, bytes), NodeExpandVolumeResponse.class)
                  .getCapacityBytes();
          t.check(
              size == 0 || size >= bytes, "at least " + bytes + " bytes, or 0", size + " bytes");
        });
    all.add(
        "node/expand/a-size-that-nobody-has-is-out-of-range",
        t ->
            t.refusedBest(
                toExpandOnNode(t, t.publishedVolume(), FAR_TOO_MUCH),
                OUT_OF_RANGE,
                FAILED_PRECONDITION,
                RESOURCE_EXHAUSTED));
    all.add(
        "node/expand/a-capability-that-does-not-fit-is-better-refused",
        t ->
            t.best(
                toExpandOnNode(t, t.publishedVolume(), t.plugin().volumeBytes())
                    .setVolumeCapability(otherCapability(t)),
                OK,
                INVALID_ARGUMENT,
                FAILED_PRECONDITION));
  }

  private static void lives(CaseSteps all) {
    all.add("node/life/of-a-filesystem", t -> wholeLife(t, AccessTypeCase.MOUNT));
    all.add("node/life/of-a-block-device", t -> wholeLife(t, AccessTypeCase.BLOCK));
    all.add(
        "node/life/a-volume-comes-back-after-it-was-away",
        t -> {
          Volume volume = t.publishedVolume();
          takeAway(t, volume);
          t.publish(volume);
          takeAway(t, volume);
        });
    all.add(
        "node/life/data-outlives-its-publication",
        t -> {
          VolumeCapability capability = capability(t, AccessTypeCase.MOUNT);
          Volume volume = t.volume(capability);
          Path target = t.paths().here(t.publish(volume, capability).getTargetPath());
          Path file = target.resolve("csi4j");
          needMount(target);
          t.check(write(file), "writing succeeds", "it failed");
          takeAway(t, volume);
          t.publish(volume, capability);
          t.check(Files.exists(file), "the file is there again", "it is gone");
          t.check(remove(file), "the file can be removed", "it cannot");
        });
    all.add(
        "node/life/two-volumes-live-side-by-side",
        t -> {
          Volume first = t.create();
          Volume second = t.create();
          t.publish(first);
          String staging = Need.STAGING.met(t) ? t.paths().staging("staging-2") : "";
          Map<String, String> context = t.attach(second);
          if (!staging.isEmpty()) {
            t.ok(toStage(t, second, context).setStagingTargetPath(staging));
          }
          String target = t.paths().target("target-2");
          t.ok(toPublish(t, second, context).setStagingTargetPath(staging).setTargetPath(target));
          takeAway(t, first);
          t.check(
              isThere(t, target),
              "the second volume stays published when the first one goes",
              "its target path is gone");
        });
  }

  private static void wholeLife(Trial t, AccessTypeCase type) throws CaseEndedException {
    VolumeCapability capability = capability(t, type);
    Volume volume = t.volume(capability);
    t.publish(volume, capability);
    takeAway(t, volume);
    if (Need.CREATE.met(t)) {
      t.ok(toDelete(t, volume));
    }
  }

  /** Unpublishes, unstages and detaches the volume, as far as the plugin does so. */
  private static void takeAway(Trial t, Volume volume) throws CaseEndedException {
    t.ok(toUnpublish(t, volume));
    if (Need.STAGING.met(t)) {
      t.ok(toUnstage(t, volume));
    }
    if (Need.ATTACH.met(t)) {
      t.ok(toDetach(t, volume));
    }
  }

  /** Skips the case unless something is mounted at {@code path} here. */
  private static void needMount(Path path) throws CaseEndedException {
    if (!isMountPoint(path)) {
      throw new CaseEndedException.Skipped(
          "nothing is mounted at the target path as seen from here: the plugin does not really"
              + " mount, or does so in another mount namespace");
    }
  }

  private static boolean isMountPoint(Path path) throws CaseEndedException {
    try {
      String spelled = path.toRealPath().toString().replace(" ", "\\040");
      List<String> table = Files.readAllLines(Path.of("/proc/self/mountinfo"));
      return table.stream()
          .map(line -> line.split(" ", -1))
          .anyMatch(fields -> fields.length > 4 && fields[4].equals(spelled));
    } catch (IOException e) {
      throw new CaseEndedException.Skipped("the mounts of this process cannot be read");
    }
  }

  /** Writes an empty file; whether that worked. */
  private static boolean write(Path file) {
    try {
      Path unused = Files.createFile(file);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Removes a file; whether that worked. */
  private static boolean remove(Path file) {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      return false;
    }
  }
}
