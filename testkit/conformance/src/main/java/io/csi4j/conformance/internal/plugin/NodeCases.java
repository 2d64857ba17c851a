package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestThings.*;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessTypeCase;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Cases for the calls to the node service. */
final class NodeCases {

  private static final NodeGetInfoRequest INFO = NodeGetInfoRequest.getDefaultInstance();

  private NodeCases() {}

  static void addTo(CaseSteps all) {
    selfCases(all);
    stageCases(all);
    publishCases(all);
    readonlyCases(all);
    useCases(all);
    lifeCases(all);
  }

  private static void selfCases(CaseSteps all) {
    all.add(
        "node/capabilities/what-is-not-offered-is-not-implemented",
        t -> {
          t.unoffered(Need.STAGING, CsiOperation.NODE_STAGE_VOLUME);
          t.unoffered(Need.STATS, CsiOperation.NODE_GET_VOLUME_STATS);
          t.unoffered(Need.NODE_HEALTH, CsiOperation.NODE_GET_VOLUME_HEALTH);
          t.unoffered(Need.STORAGE_HEALTH, CsiOperation.NODE_GET_STORAGE_HEALTH);
          t.unoffered(Need.NODE_EXPAND, CsiOperation.NODE_EXPAND_VOLUME);
        });
    all.add(
        "node/info/the-node-has-an-id",
        t -> {
          Reply reply = t.call(INFO);
          if (reply.code() == UNIMPLEMENTED && !Need.ATTACH.met(t)) {
            throw CaseEndedException.skipped(
                "the plugin does not attach volumes, and has no NodeGetInfo");
          }
          NodeGetInfoResponse info = t.succeeded(reply, NodeGetInfoResponse.class);
          int bytes = SafeText.utf8Length(info.getNodeId());
          t.check(bytes > 0, "a node_id", "an empty one");
          t.check(bytes <= FieldLimits.NODE_ID, "a node_id of at most 256 bytes", bytes + " bytes");
          t.check(
              info.getMaxVolumesPerNode() >= 0,
              "max_volumes_per_node that is not negative",
              String.valueOf(info.getMaxVolumesPerNode()));
          t.adviseSize("node_id", info.getNodeId());
        });
  }

  private static void stageCases(CaseSteps all) {
    all.add(
        "node/stage/again-succeeds",
        t -> {
          var request = toStage(t, attachedVolume(t));
          againWithoutMounting(t, request, request.getStagingTargetPath());
        });
    all.add(
        "node/unstage/the-volume-can-be-staged-otherwise",
        t -> {
          Volume volume = staged(t, volume(t));
          t.prepare(to(t, NodeUnstageVolumeRequest.newBuilder(), volume));
          t.ok(toStage(t, volume).setStagingTargetPath(t.paths().staging("staging-2")));
        });
  }

  /** Returns whether a file exists at the path that the plugin sees as {@code path}. */
  private static boolean isThere(Trial t, String path) {
    return Files.exists(t.paths().here(path), LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Publishes a volume for the first time as the tested step, and returns the request. If the
   * plugin does not accept the values in its description, the case ends without a verdict.
   */
  private static NodePublishVolumeRequest publishNew(Trial t, Volume volume) {
    NodePublishVolumeRequest request = toPublish(t, staged(t, volume)).build();
    Message unused = t.taken(request, Message.class);
    return request;
  }

  /**
   * Publishes a volume read-only as the tested step, and returns the request. If the plugin does
   * not accept the values in its description, the case ends without a verdict.
   */
  private static NodePublishVolumeRequest publishReadonly(Trial t, Volume volume) {
    var writable = toPublish(t, staged(t, volume));
    NodePublishVolumeRequest request = writable.clone().setReadonly(true).build();
    Reply reply = t.call(request);
    if (!reply.isOk()) {
      t.checkTaken(writable);
    }
    t.check(reply.isOk(), reply, "succeeds");
    return request;
  }

  /**
   * Makes a call twice. The second call must succeed, and must not add another mount on top of the
   * first.
   */
  private static void againWithoutMounting(Trial t, MessageOrBuilder request, String path) {
    Message same = Trial.built(request);
    t.prepare(same);
    int before = t.mountsAt(path);
    t.ok(same);
    int after = t.mountsAt(path);
    t.check(
        before == 0 || after <= before,
        "as many mounts as before the repeated call: " + before,
        after + " mounts at " + SafeText.quote(path));
  }

  private static void publishCases(CaseSteps all) {
    all.add(
        "node/publish/without-a-staging-path-is-refused",
        t -> {
          var whole = toPublish(t, staged(t, volume(t))).build();
          Reply reply = t.call(whole.toBuilder().clearStagingTargetPath());
          if (reply.code() == INVALID_ARGUMENT) {
            t.checkTaken(whole);
          }
          t.checkFails(reply, FAILED_PRECONDITION, INVALID_ARGUMENT);
        });
    all.add(
        "node/publish/makes-a-directory-for-a-filesystem",
        t -> {
          var request = publishNew(t, volume(t, capability(t, AccessTypeCase.MOUNT)));
          t.check(
              Files.isDirectory(t.paths().here(request.getTargetPath())),
              "a directory at the target path",
              "none");
        });
    all.add(
        "node/publish/makes-a-file-for-a-block-device",
        t -> {
          var request = publishNew(t, volume(t, capability(t, AccessTypeCase.BLOCK)));
          Path target = t.paths().here(request.getTargetPath());
          t.check(
              Files.exists(target) && !Files.isDirectory(target),
              "a file or device at the target path",
              Files.exists(target) ? "a directory" : "nothing");
        });
    all.add(
        "node/publish/again-succeeds",
        t -> {
          var request = toPublish(t, staged(t, volume(t)));
          againWithoutMounting(t, request, request.getTargetPath());
        });
  }

  private static void readonlyCases(CaseSteps all) {
    all.add(
        "node/publish/readonly-at-a-writable-target-is-refused",
        t -> {
          var request = toPublish(t, publishedVolume(t)).setReadonly(true);
          Reply reply = t.best(request, ALREADY_EXISTS);
          Path target = t.paths().here(request.getTargetPath());
          if (reply.isOk() && Files.isDirectory(target) && SeenMounts.at(target) > 0) {
            t.check(
                !write(target.resolve("csi4j")),
                "a refusal, or a target that cannot be written",
                "OK, and a file was written");
          }
        });
    all.add("node/publish/readonly-is-published", t -> t.ok(publishReadonly(t, volume(t))));
    all.add(
        "node/publish/readonly-cannot-be-written",
        t -> {
          Volume volume = volume(t, capability(t, AccessTypeCase.MOUNT));
          var request = publishReadonly(t, volume);
          Path target = t.paths().here(request.getTargetPath());
          needMount(target);
          t.check(!write(target.resolve("csi4j")), "writing fails", "a file was written");
        });
  }

  private static void useCases(CaseSteps all) {
    all.add(
        "node/unpublish/removes-the-target-path",
        t -> {
          var request = toUnpublish(t, publishedVolume(t));
          t.ok(request);
          t.check(
              !isThere(t, request.getTargetPath()),
              "nothing at the target path",
              "something is left there");
        });
    all.add(
        "node/stats/tells-how-full-a-volume-is",
        t -> {
          var request = to(t, NodeGetVolumeStatsRequest.newBuilder(), publishedVolume(t));
          var answer = t.ok(request, NodeGetVolumeStatsResponse.class);
          for (VolumeUsage each : answer.getUsageList()) {
            t.check(
                each.getUnit() != VolumeUsage.Unit.UNKNOWN,
                "a unit",
                String.valueOf(each.getUnit()));
            t.check(
                each.getTotal() >= 0 && each.getUsed() >= 0 && each.getAvailable() >= 0,
                "numbers that are not negative",
                "%s, %s used, %s available"
                    .formatted(each.getTotal(), each.getUsed(), each.getAvailable()));
          }
        });
    all.add(
        "node/expand/a-published-volume-grows",
        t -> {
          Volume volume = published(t, create(t));
          long bytes = bigger(t);
          if (Need.EXPAND.met(t)) {
            t.prepare(toExpand(t, volume, bytes));
          }
          long size =
              t.taken(toExpandOnNode(t, volume, bytes), NodeExpandVolumeResponse.class)
                  .getCapacityBytes();
          t.checkSize(size, bytes);
        });
    all.add(
        "node/expand/a-size-that-nobody-has-is-out-of-range",
        t -> {
          Reply reply =
              t.best(
                  toExpandOnNode(t, publishedVolume(t), FAR_TOO_MUCH),
                  OK,
                  OUT_OF_RANGE,
                  FAILED_PRECONDITION,
                  RESOURCE_EXHAUSTED,
                  INVALID_ARGUMENT);
          if (reply.isOk()) {
            t.checkSize(
                t.answer(reply, NodeExpandVolumeResponse.class).getCapacityBytes(), FAR_TOO_MUCH);
          }
        });
  }

  private static void lifeCases(CaseSteps all) {
    all.add("node/life/of-a-filesystem", t -> wholeLife(t, AccessTypeCase.MOUNT));
    all.add("node/life/of-a-block-device", t -> wholeLife(t, AccessTypeCase.BLOCK));
    all.add(
        "node/life/a-volume-comes-back-after-it-was-away",
        t -> {
          Volume volume = publishedVolume(t);
          takeAway(t, volume);
          t.ok(toPublish(t, staged(t, volume)));
          takeAway(t, volume);
        });
    all.add(
        "node/life/a-volume-from-a-snapshot-holds-its-data",
        t -> {
          VolumeCapability capability = capability(t, AccessTypeCase.MOUNT);
          Volume volume = usedAs(t, capability, create(t));
          Path target = t.paths().here(toPublish(t, published(t, volume)).getTargetPath());
          Path file = target.resolve("csi4j");
          needMount(target);
          if (!write(file)) {
            throw CaseEndedException.notRun("nothing can be written to the published volume");
          }
          Volume copy =
              t.prepared(
                  () -> {
                    takeAway(t, volume);
                    Snapshot snapshot = snapshot(t, volume);
                    var request = toCreate(t, snapshot).setVolumeCapabilities(0, capability);
                    return usedAs(t, capability, made(t, request));
                  });
          t.ok(toPublish(t, staged(t, copy)));
          needMount(target);
          t.check(
              Files.exists(file),
              "the file that was written before the snapshot was " + "taken",
              "none");
        });
    all.add(
        "node/life/two-volumes-live-side-by-side",
        t -> {
          Volume first = create(t);
          Volume second = create(t);
          published(t, first);
          String staging = Need.STAGING.met(t) ? t.paths().staging("staging-2") : "";
          attached(t, second);
          if (!staging.isEmpty()) {
            t.prepare(toStage(t, second).setStagingTargetPath(staging));
          }
          String target = t.paths().target("target-2");
          t.ok(toPublish(t, second).setStagingTargetPath(staging).setTargetPath(target));
          takeAway(t, first);
          t.check(
              isThere(t, target),
              "the second volume stays published when the first one goes",
              "its target path is gone");
        });
  }

  private static void wholeLife(Trial t, AccessTypeCase type) {
    Volume volume = volume(t, capability(t, type));
    NodePublishVolumeRequest unused = publishNew(t, volume);
    takeAway(t, volume);
    if (Need.CREATE.met(t) && t.plugin().existingVolume().isEmpty()) {
      t.ok(toDelete(t, volume));
    }
  }

  /** Unpublishes, unstages and detaches the volume, as far as the plugin supports these steps. */
  private static void takeAway(Trial t, Volume volume) {
    t.ok(toUnpublish(t, volume));
    if (Need.STAGING.met(t)) {
      t.ok(to(t, NodeUnstageVolumeRequest.newBuilder(), volume));
    }
    if (Need.ATTACH.met(t)) {
      t.ok(toDetach(t, volume));
    }
  }

  /** Ends the case as skipped, unless this process sees a mount at {@code path}. */
  private static void needMount(Path path) {
    if (SeenMounts.at(path) == 0) {
      throw CaseEndedException.skipped(
          "nothing is mounted at the target path as seen from here: the plugin does not really"
              + " mount, or does so in another mount namespace");
    }
  }

  /** Creates an empty file and syncs it. Returns whether both steps succeeded. */
  private static boolean write(Path file) {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.force(true);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
