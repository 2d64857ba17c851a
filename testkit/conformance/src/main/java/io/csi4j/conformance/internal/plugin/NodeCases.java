package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.OUT_OF_RANGE;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static io.csi4j.client.model.StatusCode.UNIMPLEMENTED;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.Cases.expect;
import static io.csi4j.conformance.internal.plugin.Cases.required;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.text.SafeText;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** The work of a plugin on the node where volumes are used. */
final class NodeCases {

  private static final long FAR_TOO_MUCH = Long.MAX_VALUE / 2;
  private static final List<Need> VOLUME = List.of(Needs.VOLUME);
  private static final List<Need> STAGING = List.of(Needs.STAGING, Needs.VOLUME);
  private static final NodeGetInfoRequest INFO = NodeGetInfoRequest.getDefaultInstance();
  private static final NodeGetCapabilitiesRequest CAPABILITIES =
      NodeGetCapabilitiesRequest.getDefaultInstance();

  private NodeCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    self(all);
    staged(all);
    unstaged(all);
    publishedFields(all);
    publishedAgain(all);
    publishedElsewhere(all);
    unpublished(all);
    stats(all);
    expanded(all);
    lives(all);
    return all;
  }

  private static Volume unknown() {
    return Volume.newBuilder().setVolumeId(NO_SUCH_VOLUME).build();
  }

  private static void self(List<SuiteCase> all) {
    all.add(
        expect(
            "node/capabilities/are-well-formed",
            "Every capability of the node service has a type.",
            "NodeGetCapabilities",
            List.of(),
            t -> {
              for (NodeServiceCapability each :
                  t.ok(CsiRpc.NODE_GET_CAPABILITIES, CAPABILITIES).getCapabilitiesList()) {
                t.check(each.hasRpc(), "a type in each capability", "a capability without type");
                if (each.getRpc().getType() == NodeServiceCapability.RPC.Type.UNKNOWN) {
                  t.advise("The capability UNKNOWN (0) tells nobody anything.");
                }
              }
            }));
    all.add(
        expect(
            "node/capabilities/stay-the-same",
            "Asked again, the node offers the same.",
            "NodeGetCapabilities",
            List.of(),
            t ->
                t.check(
                    new HashSet<>(
                            t.ok(CsiRpc.NODE_GET_CAPABILITIES, CAPABILITIES).getCapabilitiesList())
                        .equals(
                            new HashSet<>(
                                t.ok(CsiRpc.NODE_GET_CAPABILITIES, CAPABILITIES)
                                    .getCapabilitiesList())),
                    "the same capabilities",
                    "others")));
    all.add(
        expect(
                "node/capabilities/what-is-not-offered-is-not-implemented",
                "A call whose capability the node does not offer is not implemented.",
                "Error Scheme",
                List.of(),
                t -> {
                  unoffered(
                      t,
                      Needs.STAGING,
                      CsiRpc.NODE_STAGE_VOLUME,
                      NodeStageVolumeRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.STATS,
                      CsiRpc.NODE_GET_VOLUME_STATS,
                      NodeGetVolumeStatsRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.NODE_EXPAND,
                      CsiRpc.NODE_EXPAND_VOLUME,
                      NodeExpandVolumeRequest.getDefaultInstance());
                })
            .rows(510));
    all.add(
        expect(
            "node/info/the-node-has-an-id",
            "The node tells its id, of at most 256 bytes, and no negative number of volumes.",
            "NodeGetInfo",
            List.of(),
            t -> {
              NodeGetInfoResponse info = t.ok(CsiRpc.NODE_GET_INFO, INFO);
              int bytes = SafeText.utf8Length(info.getNodeId());
              t.check(bytes > 0, "a node_id", "an empty one");
              t.check(bytes <= 256, "a node_id of at most 256 bytes", bytes + " bytes");
              t.check(
                  info.getMaxVolumesPerNode() >= 0,
                  "max_volumes_per_node that is not negative",
                  String.valueOf(info.getMaxVolumesPerNode()));
              FieldSizes.advise(t, "node_id", info.getNodeId());
            }));
    all.add(
        expect(
            "node/info/stays-the-same",
            "Asked again, the node has the same id and place.",
            "NodeGetInfo",
            List.of(),
            t -> {
              NodeGetInfoResponse first = t.ok(CsiRpc.NODE_GET_INFO, INFO);
              NodeGetInfoResponse again = t.ok(CsiRpc.NODE_GET_INFO, INFO);
              t.check(
                  first.getNodeId().equals(again.getNodeId())
                      && first.getAccessibleTopology().equals(again.getAccessibleTopology()),
                  "the same node_id and topology",
                  "others");
            }));
  }

  private static <Q extends Message, A extends Message> void unoffered(
      Trial t, Need need, CsiRpc<Q, A> rpc, Q request) throws CaseEndedException {
    if (!need.met(t)) {
      t.best(rpc, request, UNIMPLEMENTED);
    }
  }

  private static NodeStageVolumeRequest stage(Trial t) throws CaseEndedException {
    Volume volume = CaseSteps.volume(t);
    return LawfulRequests.stage(t, volume, CaseSteps.attach(t, volume)).build();
  }

  private static void staged(List<SuiteCase> all) {
    String place = "NodeStageVolume";
    for (String field : List.of("volume_id", "staging_target_path", "volume_capability")) {
      all.add(required("node/stage", CsiRpc.NODE_STAGE_VOLUME, field, STAGING, t -> stage(t)));
    }
    all.add(
        expect(
                "node/stage/an-unknown-volume-is-not-found",
                "NodeStageVolume of a volume that does not exist is refused.",
                place + " Errors",
                List.of(Needs.STAGING),
                t ->
                    t.refusedBest(
                        CsiRpc.NODE_STAGE_VOLUME,
                        LawfulRequests.stage(t, unknown(), Map.of()).build(),
                        NOT_FOUND))
            .rows(2388));
    all.add(
        expect(
            "node/stage/again-succeeds",
            "NodeStageVolume is idempotent.",
            place,
            STAGING,
            t -> {
              NodeStageVolumeRequest request = stage(t);
              t.ok(CsiRpc.NODE_STAGE_VOLUME, request);
              t.ok(CsiRpc.NODE_STAGE_VOLUME, request);
            }));
    all.add(
        expect(
                "node/stage/another-capability-is-refused",
                "A volume that is staged at this path with another capability is refused.",
                place + " Errors",
                STAGING,
                t -> {
                  NodeStageVolumeRequest request = stage(t);
                  t.ok(CsiRpc.NODE_STAGE_VOLUME, request);
                  t.refusedBest(
                      CsiRpc.NODE_STAGE_VOLUME,
                      request.toBuilder()
                          .setVolumeCapability(LawfulRequests.otherCapability(t))
                          .build(),
                      ALREADY_EXISTS,
                      FAILED_PRECONDITION);
                })
            .rows(2389, 2390));
    all.add(
        expect(
            "node/stage/the-staging-path-stays-a-directory",
            "A staged volume leaves a path that callers can look at.",
            place,
            List.of(Needs.STAGING, Needs.VOLUME, Needs.FILESYSTEM),
            t -> {
              NodeStageVolumeRequest request = stage(t);
              t.ok(CsiRpc.NODE_STAGE_VOLUME, request);
              t.check(
                  Files.isDirectory(t.paths().here(request.getStagingTargetPath())),
                  "a directory at the staging path",
                  "none");
            }));
  }

  private static void unstaged(List<SuiteCase> all) {
    String place = "NodeUnstageVolume";
    for (String field : List.of("volume_id", "staging_target_path")) {
      all.add(
          required(
              "node/unstage",
              CsiRpc.NODE_UNSTAGE_VOLUME,
              field,
              STAGING,
              t -> LawfulRequests.unstage(t, CaseSteps.volume(t)).build()));
    }
    all.add(
        expect(
            "node/unstage/again-succeeds",
            "NodeUnstageVolume is idempotent.",
            place,
            STAGING,
            t -> {
              Volume volume = CaseSteps.volume(t);
              CaseSteps.stage(t, volume);
              t.ok(CsiRpc.NODE_UNSTAGE_VOLUME, LawfulRequests.unstage(t, volume).build());
              t.ok(CsiRpc.NODE_UNSTAGE_VOLUME, LawfulRequests.unstage(t, volume).build());
            }));
    all.add(
        expect(
            "node/unstage/a-volume-that-was-never-staged-succeeds",
            "NodeUnstageVolume of a volume that is not staged there succeeds.",
            place,
            STAGING,
            t -> {
              t.ok(
                  CsiRpc.NODE_UNSTAGE_VOLUME,
                  LawfulRequests.unstage(t, CaseSteps.volume(t)).build());
            }));
    all.add(
        expect(
                "node/unstage/an-unknown-volume-is-unstaged-or-not-found",
                "NodeUnstageVolume of a volume that does not exist is refused as not found; many"
                    + " plugins say that it is done.",
                place + " Errors",
                List.of(Needs.STAGING),
                t -> {
                  t.best(
                      CsiRpc.NODE_UNSTAGE_VOLUME,
                      LawfulRequests.unstage(t, unknown()).build(),
                      NOT_FOUND,
                      OK);
                })
            .rows(2440));
    all.add(
        expect(
            "node/unstage/a-published-volume-is-better-kept",
            "NodeUnstageVolume of a volume that is published is better refused than done.",
            place,
            STAGING,
            t -> {
              Volume volume = CaseSteps.volume(t);
              var request = CaseSteps.publish(t, volume);
              Reply reply =
                  t.best(
                      CsiRpc.NODE_UNSTAGE_VOLUME,
                      LawfulRequests.unstage(t, volume).build(),
                      FAILED_PRECONDITION);
              t.check(
                  Files.exists(t.paths().here(request.getTargetPath()), LinkOption.NOFOLLOW_LINKS),
                  "the target path stays",
                  "it is gone");
              // So that the volume can be unpublished in order.
              if (reply.isOk()) {
                t.call(CsiRpc.NODE_UNPUBLISH_VOLUME, LawfulRequests.unpublish(t, volume).build());
              }
            }));
    all.add(
        expect(
            "node/unstage/the-volume-can-be-staged-otherwise",
            "After it was unstaged, a volume can be staged at another path.",
            place,
            STAGING,
            t -> {
              Volume volume = CaseSteps.volume(t);
              var context = CaseSteps.stage(t, volume);
              t.ok(CsiRpc.NODE_UNSTAGE_VOLUME, LawfulRequests.unstage(t, volume).build());
              t.ok(
                  CsiRpc.NODE_STAGE_VOLUME,
                  LawfulRequests.stage(t, volume, context)
                      .setStagingTargetPath(t.paths().staging("staging-2"))
                      .build());
            }));
  }

  private static void publishedFields(List<SuiteCase> all) {
    String place = "NodePublishVolume";
    for (String field : List.of("volume_id", "target_path", "volume_capability")) {
      all.add(
          required(
              "node/publish",
              CsiRpc.NODE_PUBLISH_VOLUME,
              field,
              VOLUME,
              t -> {
                Volume volume = CaseSteps.volume(t);
                return LawfulRequests.publish(t, volume, CaseSteps.stage(t, volume)).build();
              }));
    }
    all.add(
        expect(
                "node/publish/without-a-staging-path-is-refused",
                "A plugin that stages refuses to publish a volume without its staging path.",
                place + " Errors",
                STAGING,
                t -> {
                  Volume volume = CaseSteps.volume(t);
                  t.refused(
                      CsiRpc.NODE_PUBLISH_VOLUME,
                      LawfulRequests.publish(t, volume, CaseSteps.stage(t, volume))
                          .clearStagingTargetPath()
                          .build(),
                      FAILED_PRECONDITION);
                })
            .rows(2570));
    all.add(
        expect(
                "node/publish/an-unknown-volume-is-not-found",
                "NodePublishVolume of a volume that does not exist is refused.",
                place + " Errors",
                List.of(),
                t ->
                    t.refusedBest(
                        CsiRpc.NODE_PUBLISH_VOLUME,
                        LawfulRequests.publish(t, unknown(), Map.of()).build(),
                        NOT_FOUND))
            .rows(2567));
    all.add(
        expect(
            "node/publish/makes-a-directory-for-a-filesystem",
            "A volume that is used as a filesystem is published as a directory, which the plugin"
                + " makes.",
            place,
            List.of(Needs.VOLUME, Needs.FILESYSTEM),
            t -> {
              VolumeCapability capability = used(t, VolumeCapability.AccessTypeCase.MOUNT);
              var request = CaseSteps.publish(t, CaseSteps.volume(t, capability), capability);
              t.check(
                  Files.isDirectory(t.paths().here(request.getTargetPath())),
                  "a directory at the target path",
                  "none");
            }));
    all.add(
        expect(
            "node/publish/makes-a-file-for-a-block-device",
            "A volume that is used as a block device is published as a file, which the plugin"
                + " makes.",
            place,
            List.of(Needs.VOLUME, Needs.BLOCK),
            t -> {
              VolumeCapability capability = used(t, VolumeCapability.AccessTypeCase.BLOCK);
              var request = CaseSteps.publish(t, CaseSteps.volume(t, capability), capability);
              Path target = t.paths().here(request.getTargetPath());
              t.check(
                  Files.exists(target) && !Files.isDirectory(target),
                  "a file or device at the target path",
                  Files.exists(target) ? "a directory" : "nothing");
            }));
  }

  private static VolumeCapability used(Trial t, VolumeCapability.AccessTypeCase type)
      throws CaseEndedException {
    return LawfulRequests.capabilities(t).stream()
        .filter(each -> each.getAccessTypeCase() == type)
        .findFirst()
        .orElseThrow(() -> new CaseEndedException.Skipped("no capability of type " + type));
  }

  private static void publishedAgain(List<SuiteCase> all) {
    String place = "NodePublishVolume";
    all.add(
        expect(
            "node/publish/again-succeeds",
            "NodePublishVolume is idempotent.",
            place,
            VOLUME,
            t -> {
              NodePublishVolumeRequest request = CaseSteps.publish(t, CaseSteps.volume(t));
              t.ok(CsiRpc.NODE_PUBLISH_VOLUME, request);
            }));
    all.add(
        expect(
                "node/publish/another-capability-at-the-same-target-is-refused",
                "A volume that is published at this path with another capability is refused.",
                place + " Errors",
                VOLUME,
                t -> {
                  NodePublishVolumeRequest request = CaseSteps.publish(t, CaseSteps.volume(t));
                  t.refusedBest(
                      CsiRpc.NODE_PUBLISH_VOLUME,
                      request.toBuilder()
                          .setVolumeCapability(LawfulRequests.otherCapability(t))
                          .build(),
                      ALREADY_EXISTS,
                      FAILED_PRECONDITION);
                })
            .rows(2568, 2569));
    all.add(
        expect(
                "node/publish/readonly-at-a-writable-target-is-refused",
                "A volume that is published at this path for writing is refused for reading only.",
                place + " Errors",
                VOLUME,
                t -> {
                  NodePublishVolumeRequest request = CaseSteps.publish(t, CaseSteps.volume(t));
                  t.refused(
                      CsiRpc.NODE_PUBLISH_VOLUME,
                      request.toBuilder().setReadonly(true).build(),
                      ALREADY_EXISTS);
                })
            .rows(2568));
    all.add(
        expect(
            "node/publish/readonly-is-published",
            "A volume can be published for reading only, also repeatedly.",
            place,
            VOLUME,
            t -> {
              Volume volume = CaseSteps.volume(t);
              NodePublishVolumeRequest request =
                  LawfulRequests.publish(t, volume, CaseSteps.stage(t, volume))
                      .setReadonly(true)
                      .build();
              t.ok(CsiRpc.NODE_PUBLISH_VOLUME, request);
              t.ok(CsiRpc.NODE_PUBLISH_VOLUME, request);
            }));
    all.add(
        expect(
            "node/publish/readonly-cannot-be-written",
            "Nothing can be written to a mount that was published for reading only.",
            place,
            List.of(Needs.VOLUME, Needs.FILESYSTEM),
            t -> {
              VolumeCapability capability = used(t, VolumeCapability.AccessTypeCase.MOUNT);
              Volume volume = CaseSteps.volume(t, capability);
              NodePublishVolumeRequest request =
                  LawfulRequests.publish(t, volume, CaseSteps.stage(t, volume, capability))
                      .setVolumeCapability(capability)
                      .setReadonly(true)
                      .build();
              t.ok(CsiRpc.NODE_PUBLISH_VOLUME, request);
              Path target = t.paths().here(request.getTargetPath());
              Mounted.need(target);
              t.check(
                  !Mounted.write(target.resolve("csi4j")), "writing fails", "a file was written");
            }));
  }

  private static void publishedElsewhere(List<SuiteCase> all) {
    String place = "NodePublishVolume";
    all.add(
        expect(
                "node/publish/second-target-of-a-single-node-volume-is-refused",
                "A volume whose mode allows one publication on a node is refused at another"
                    + " target.",
                place + " (table of second calls)",
                List.of(Needs.VOLUME, Needs.ONE_WRITER),
                t -> {
                  NodePublishVolumeRequest request = CaseSteps.publish(t, CaseSteps.volume(t));
                  t.refused(
                      CsiRpc.NODE_PUBLISH_VOLUME,
                      request.toBuilder().setTargetPath(t.paths().target("target-2")).build(),
                      FAILED_PRECONDITION);
                })
            .rows(2475));
    all.add(
        expect(
                "node/publish/second-target-with-another-capability-is-refused",
                "A volume that is published on the node is refused at another target with another"
                    + " capability.",
                place,
                List.of(Needs.VOLUME, Needs.ONE_WRITER),
                t -> {
                  NodePublishVolumeRequest request = CaseSteps.publish(t, CaseSteps.volume(t));
                  t.refusedBest(
                      CsiRpc.NODE_PUBLISH_VOLUME,
                      request.toBuilder()
                          .setTargetPath(t.paths().target("target-2"))
                          .setVolumeCapability(LawfulRequests.otherCapability(t))
                          .build(),
                      FAILED_PRECONDITION);
                })
            .rows(2466));
    all.add(
        expect(
            "node/publish/several-targets-for-several-writers",
            "A plugin with SINGLE_NODE_MULTI_WRITER publishes a volume of that mode at several"
                + " targets.",
            place + " (table of second calls)",
            List.of(Needs.CREATE, Needs.MULTI_WRITER),
            t -> {
              VolumeCapability capability =
                  LawfulRequests.inMode(
                      LawfulRequests.capability(t), Mode.SINGLE_NODE_MULTI_WRITER);
              NodePublishVolumeRequest request =
                  CaseSteps.publish(t, CaseSteps.volume(t, capability), capability);
              t.ok(
                  CsiRpc.NODE_PUBLISH_VOLUME,
                  request.toBuilder().setTargetPath(t.paths().target("target-2")).build());
            }));
    all.add(
        expect(
                "node/publish/second-target-for-a-single-writer-is-refused",
                "A plugin with SINGLE_NODE_MULTI_WRITER refuses a second target to a volume of mode"
                    + " SINGLE_NODE_SINGLE_WRITER.",
                place + " (table of second calls)",
                List.of(Needs.CREATE, Needs.MULTI_WRITER),
                t -> {
                  VolumeCapability capability =
                      LawfulRequests.inMode(
                          LawfulRequests.capability(t), Mode.SINGLE_NODE_SINGLE_WRITER);
                  NodePublishVolumeRequest request =
                      CaseSteps.publish(t, CaseSteps.volume(t, capability), capability);
                  t.refused(
                      CsiRpc.NODE_PUBLISH_VOLUME,
                      request.toBuilder().setTargetPath(t.paths().target("target-2")).build(),
                      FAILED_PRECONDITION);
                })
            .rows(2475));
  }

  private static void unpublished(List<SuiteCase> all) {
    String place = "NodeUnpublishVolume";
    for (String field : List.of("volume_id", "target_path")) {
      all.add(
          required(
              "node/unpublish",
              CsiRpc.NODE_UNPUBLISH_VOLUME,
              field,
              VOLUME,
              t -> LawfulRequests.unpublish(t, CaseSteps.volume(t)).build()));
    }
    all.add(
        expect(
            "node/unpublish/removes-the-target-path",
            "NodeUnpublishVolume removes the file or directory that was made at the target path.",
            place,
            VOLUME,
            t -> {
              Volume volume = CaseSteps.volume(t);
              NodePublishVolumeRequest request = CaseSteps.publish(t, volume);
              t.ok(CsiRpc.NODE_UNPUBLISH_VOLUME, LawfulRequests.unpublish(t, volume).build());
              t.check(
                  !Files.exists(t.paths().here(request.getTargetPath()), LinkOption.NOFOLLOW_LINKS),
                  "nothing at the target path",
                  "something is left there");
            }));
    all.add(
        expect(
            "node/unpublish/again-succeeds",
            "NodeUnpublishVolume is idempotent.",
            place,
            VOLUME,
            t -> {
              Volume volume = CaseSteps.volume(t);
              CaseSteps.publish(t, volume);
              t.ok(CsiRpc.NODE_UNPUBLISH_VOLUME, LawfulRequests.unpublish(t, volume).build());
              t.ok(CsiRpc.NODE_UNPUBLISH_VOLUME, LawfulRequests.unpublish(t, volume).build());
            }));
    all.add(
        expect(
            "node/unpublish/a-volume-that-was-never-published-succeeds",
            "NodeUnpublishVolume of a volume that is not published there succeeds.",
            place,
            VOLUME,
            t -> {
              t.ok(
                  CsiRpc.NODE_UNPUBLISH_VOLUME,
                  LawfulRequests.unpublish(t, CaseSteps.volume(t)).build());
            }));
    all.add(
        expect(
                "node/unpublish/an-unknown-volume-is-unpublished-or-not-found",
                "NodeUnpublishVolume of a volume that does not exist is refused as not found; many"
                    + " plugins say that it is done.",
                place + " Errors",
                List.of(),
                t -> {
                  t.best(
                      CsiRpc.NODE_UNPUBLISH_VOLUME,
                      LawfulRequests.unpublish(t, unknown()).build(),
                      NOT_FOUND,
                      OK);
                })
            .rows(2617));
  }

  private static void stats(List<SuiteCase> all) {
    String place = "NodeGetVolumeStats";
    List<Need> needs = List.of(Needs.STATS, Needs.VOLUME);
    for (String field : List.of("volume_id", "volume_path")) {
      all.add(
          required(
              "node/stats",
              CsiRpc.NODE_GET_VOLUME_STATS,
              field,
              needs,
              t -> {
                Volume volume = CaseSteps.volume(t);
                CaseSteps.publish(t, volume);
                return LawfulRequests.stats(t, volume).build();
              }));
    }
    all.add(
        expect(
                "node/stats/an-unknown-volume-is-not-found",
                "NodeGetVolumeStats of a volume that does not exist is refused.",
                place + " Errors",
                List.of(Needs.STATS),
                t ->
                    t.refused(
                        CsiRpc.NODE_GET_VOLUME_STATS,
                        LawfulRequests.stats(t, unknown()).build(),
                        NOT_FOUND))
            .rows(2716));
    all.add(
        expect(
                "node/stats/a-path-without-the-volume-is-not-found",
                "NodeGetVolumeStats of a path where the volume is not published is refused.",
                place + " Errors",
                needs,
                t -> {
                  Volume volume = CaseSteps.volume(t);
                  CaseSteps.publish(t, volume);
                  t.refused(
                      CsiRpc.NODE_GET_VOLUME_STATS,
                      LawfulRequests.stats(t, volume)
                          .setVolumePath(t.paths().target("nowhere"))
                          .build(),
                      NOT_FOUND);
                })
            .rows(2716));
    all.add(
        expect(
            "node/stats/tells-how-full-a-volume-is",
            "NodeGetVolumeStats of a published volume tells numbers that are not negative, in a"
                + " known unit.",
            place,
            needs,
            t -> {
              Volume volume = CaseSteps.volume(t);
              CaseSteps.publish(t, volume);
              var answer =
                  t.ok(CsiRpc.NODE_GET_VOLUME_STATS, LawfulRequests.stats(t, volume).build());
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
            }));
  }

  private static void expanded(List<SuiteCase> all) {
    String place = "NodeExpandVolume";
    List<Need> needs = List.of(Needs.NODE_EXPAND, Needs.VOLUME);
    for (String field : List.of("volume_id", "volume_path")) {
      all.add(
          required(
              "node/expand",
              CsiRpc.NODE_EXPAND_VOLUME,
              field,
              needs,
              t -> {
                Volume volume = CaseSteps.volume(t);
                CaseSteps.publish(t, volume);
                return LawfulRequests.nodeExpand(t, volume, t.plugin().volumeBytes()).build();
              }));
    }
    all.add(
        expect(
                "node/expand/an-unknown-volume-is-not-found",
                "NodeExpandVolume of a volume that does not exist is refused.",
                place + " Errors",
                List.of(Needs.NODE_EXPAND),
                t ->
                    t.refused(
                        CsiRpc.NODE_EXPAND_VOLUME,
                        LawfulRequests.nodeExpand(t, unknown(), t.plugin().volumeBytes()).build(),
                        NOT_FOUND))
            .rows(2933));
    all.add(
        expect(
            "node/expand/a-published-volume-grows",
            "A volume that the controller made larger, or can, grows on its node while it is"
                + " published, also when asked again.",
            place,
            List.of(Needs.NODE_EXPAND, Needs.CREATE, Needs.ONLINE_EXPANSION),
            t -> {
              Volume volume = CaseSteps.create(t);
              CaseSteps.publish(t, volume);
              long bytes = ControllerCases.bigger(t);
              if (Needs.EXPAND.met(t)) {
                t.ok(
                    CsiRpc.CONTROLLER_EXPAND_VOLUME,
                    LawfulRequests.expand(t, volume.getVolumeId(), bytes).build());
              }
              t.ok(CsiRpc.NODE_EXPAND_VOLUME, LawfulRequests.nodeExpand(t, volume, bytes).build());
              var again =
                  t.ok(
                      CsiRpc.NODE_EXPAND_VOLUME,
                      LawfulRequests.nodeExpand(t, volume, bytes).build());
              t.check(
                  again.getCapacityBytes() == 0 || again.getCapacityBytes() >= bytes,
                  "at least " + bytes + " bytes, or 0",
                  again.getCapacityBytes() + " bytes");
            }));
    all.add(
        expect(
                "node/expand/a-size-that-nobody-has-is-out-of-range",
                "A volume cannot grow to 4 EiB on its node.",
                place + " Errors",
                needs,
                t -> {
                  Volume volume = CaseSteps.volume(t);
                  CaseSteps.publish(t, volume);
                  t.refusedBest(
                      CsiRpc.NODE_EXPAND_VOLUME,
                      LawfulRequests.nodeExpand(t, volume, FAR_TOO_MUCH).build(),
                      OUT_OF_RANGE,
                      FAILED_PRECONDITION,
                      RESOURCE_EXHAUSTED);
                })
            .rows(2935, 2934));
    all.add(
        expect(
                "node/expand/a-capability-that-does-not-fit-is-better-refused",
                "A volume_capability that the volume does not have may be refused as invalid.",
                place + " Errors",
                needs,
                t -> {
                  Volume volume = CaseSteps.volume(t);
                  CaseSteps.publish(t, volume);
                  t.best(
                      CsiRpc.NODE_EXPAND_VOLUME,
                      LawfulRequests.nodeExpand(t, volume, t.plugin().volumeBytes())
                          .setVolumeCapability(LawfulRequests.otherCapability(t))
                          .build(),
                      OK,
                      INVALID_ARGUMENT,
                      FAILED_PRECONDITION);
                })
            .rows(2932));
  }

  private static void lives(List<SuiteCase> all) {
    life(all, "filesystem", Needs.FILESYSTEM, VolumeCapability.AccessTypeCase.MOUNT);
    life(all, "block-device", Needs.BLOCK, VolumeCapability.AccessTypeCase.BLOCK);
    all.add(
        expect(
            "node/life/a-volume-comes-back-after-it-was-away",
            "What was detached, unstaged and unpublished can be used again.",
            "Volume Lifecycle",
            VOLUME,
            t -> {
              Volume volume = CaseSteps.volume(t);
              CaseSteps.publish(t, volume);
              away(t, volume);
              CaseSteps.publish(t, volume);
              away(t, volume);
            }));
    all.add(
        expect(
            "node/life/data-outlives-its-publication",
            "What was written to a mounted volume is there when it comes back.",
            "Volume Lifecycle",
            List.of(Needs.VOLUME, Needs.FILESYSTEM),
            t -> {
              VolumeCapability capability = used(t, VolumeCapability.AccessTypeCase.MOUNT);
              Volume volume = CaseSteps.volume(t, capability);
              var request = CaseSteps.publish(t, volume, capability);
              Path file = t.paths().here(request.getTargetPath()).resolve("csi4j");
              Mounted.need(t.paths().here(request.getTargetPath()));
              t.check(Mounted.write(file), "writing succeeds", "it failed");
              away(t, volume);
              CaseSteps.publish(t, volume, capability);
              t.check(Files.exists(file), "the file is there again", "it is gone");
              t.check(Mounted.remove(file), "the file can be removed", "it cannot");
            }));
    all.add(
        expect(
            "node/life/two-volumes-live-side-by-side",
            "Two volumes are used on a node at the same time, and end one after the other.",
            "Volume Lifecycle",
            List.of(Needs.CREATE),
            t -> {
              Volume first = CaseSteps.create(t);
              Volume second = CaseSteps.create(t);
              CaseSteps.publish(t, first);
              String staging = Needs.STAGING.met(t) ? t.paths().staging("staging-2") : "";
              Map<String, String> context = CaseSteps.attach(t, second);
              if (!staging.isEmpty()) {
                t.ok(
                    CsiRpc.NODE_STAGE_VOLUME,
                    LawfulRequests.stage(t, second, context).setStagingTargetPath(staging).build());
              }
              String target = t.paths().target("target-2");
              t.ok(
                  CsiRpc.NODE_PUBLISH_VOLUME,
                  LawfulRequests.publish(t, second, context)
                      .setStagingTargetPath(staging)
                      .setTargetPath(target)
                      .build());
              away(t, first);
              t.check(
                  Files.exists(t.paths().here(target), LinkOption.NOFOLLOW_LINKS),
                  "the second volume stays published when the first one goes",
                  "its target path is gone");
            }));
  }

  private static void life(
      List<SuiteCase> all, String what, Need need, VolumeCapability.AccessTypeCase type) {
    all.add(
        expect(
            "node/life/of-a-" + what,
            "A volume is made, attached, staged, published and all the way back, as far as the"
                + " plugin has these steps.",
            "Volume Lifecycle",
            List.of(Needs.VOLUME, need),
            t -> {
              VolumeCapability capability = used(t, type);
              Volume volume = CaseSteps.volume(t, capability);
              CaseSteps.publish(t, volume, capability);
              away(t, volume);
              if (Needs.CREATE.met(t)) {
                t.ok(CsiRpc.DELETE_VOLUME, LawfulRequests.delete(t, volume.getVolumeId()));
              }
            }));
  }

  private static void away(Trial t, Volume volume) throws CaseEndedException {
    t.ok(CsiRpc.NODE_UNPUBLISH_VOLUME, LawfulRequests.unpublish(t, volume).build());
    if (Needs.STAGING.met(t)) {
      t.ok(CsiRpc.NODE_UNSTAGE_VOLUME, LawfulRequests.unstage(t, volume).build());
    }
    if (Needs.ATTACH.met(t)) {
      t.ok(CsiRpc.CONTROLLER_UNPUBLISH_VOLUME, LawfulRequests.detach(t, volume).build());
    }
  }
}
