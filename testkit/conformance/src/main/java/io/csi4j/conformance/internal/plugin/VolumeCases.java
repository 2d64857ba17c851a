package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestThings.*;

import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import java.util.OptionalLong;

/** Cases for the creation and deletion of volumes. */
final class VolumeCases {

  private VolumeCases() {}

  static void addTo(CaseSteps all) {
    createCases(all);
    sizeCases(all);
    nameCases(all);
    sourceCases(all);
    placeCases(all);
    deleteCases(all);
  }

  private static void createCases(CaseSteps all) {
    all.add(
        "controller/create/a-capability-without-access-type-is-refused",
        t -> refusedFor(t, capability(t).toBuilder().clearAccessType()));
    all.add(
        "controller/create/a-capability-without-access-mode-is-refused",
        t -> refusedFor(t, capability(t).toBuilder().clearAccessMode()));
    all.add(
        "controller/create/a-volume-is-made",
        t -> {
          Volume volume = taken(t, toCreate(t));
          t.adviseSize("volume_id", volume.getVolumeId());
          t.adviseSize("volume_context", volume.getVolumeContextMap());
          t.check(
              volume.getContentSource().getTypeCase() == VolumeContentSource.TypeCase.TYPE_NOT_SET,
              "no content_source, as none was requested",
              "a content_source");
        });
    all.add(
        "controller/create/every-usual-capability-is-accepted",
        t -> {
          for (VolumeCapability each : capabilities(t)) {
            Volume unused = taken(t, toCreate(t).setVolumeCapabilities(0, each));
          }
        });
  }

  private static void refusedFor(Trial t, VolumeCapability.Builder capability) {
    t.refused(toCreate(t).setVolumeCapabilities(0, capability), INVALID_ARGUMENT);
  }

  private static void sizeCases(CaseSteps all) {
    all.add(
        "controller/create/a-volume-without-a-size-is-made",
        t -> {
          Volume unused = deletedVolume(t);
          size(t, toCreate(t).clearCapacityRange(), OK)
              .ifPresent(
                  size -> t.check(size >= 0, "a size that is not negative", size + " bytes"));
        });
    all.add(
        "controller/create/the-size-is-what-was-asked-for",
        t -> t.checkSize(create(t).getCapacityBytes(), t.plugin().volumeBytes()));
    all.add(
        "controller/create/the-limit-is-kept",
        t -> {
          long bytes = t.plugin().volumeBytes();
          OptionalLong made =
              size(t, toCreate(t).setCapacityRange(range(bytes, bytes)), OK, OUT_OF_RANGE);
          long size = made.orElse(bytes);
          t.check(size == 0 || size == bytes, "exactly " + bytes + " bytes", size + " bytes");
        });
    all.add(
        "controller/create/a-limit-below-the-required-size-is-refused",
        t -> {
          var request = toCreate(t).setCapacityRange(range(bigger(t), 1));
          checkUntold(t, size(t, request, OK, INVALID_ARGUMENT, OUT_OF_RANGE));
        });
    all.add(
        "controller/create/a-size-that-nobody-has-is-refused",
        t ->
            size(
                    t,
                    toCreate(t).setCapacityRange(atLeast(FAR_TOO_MUCH)),
                    OK,
                    OUT_OF_RANGE,
                    RESOURCE_EXHAUSTED,
                    INVALID_ARGUMENT)
                .ifPresent(size -> t.checkSize(size, FAR_TOO_MUCH)));
  }

  /**
   * Returns the size of the volume that the plugin creates for this request; empty if it creates
   * none. Any code other than {@code codes} leads to advice.
   */
  private static OptionalLong size(
      Trial t, CreateVolumeRequest.Builder request, StatusCode... codes) {
    Reply reply = t.best(request, codes);
    return reply.isOk()
        ? OptionalLong.of(volumeOf(t, reply).getCapacityBytes())
        : OptionalLong.empty();
  }

  private static void checkUntold(Trial t, OptionalLong size) {
    t.check(
        size.orElse(0) == 0,
        "a refusal, or a volume whose size is not reported",
        "a volume of " + size.orElse(0) + " bytes");
  }

  private static Volume volumeOf(Trial t, Reply reply) {
    return t.answer(reply, CreateVolumeResponse.class).getVolume();
  }

  private static void checkSame(Trial t, Volume expected, Volume got) {
    t.checkSame("the volume ", expected.getVolumeId(), got.getVolumeId());
  }

  private static void nameCases(CaseSteps all) {
    all.add(
        "controller/create/the-same-again-is-the-same-volume",
        t -> {
          var request = toCreate(t);
          Volume first = taken(t, request);
          checkSame(t, first, made(t, request));
        });
    all.add(
        "controller/create/the-same-name-with-another-size-is-refused",
        t -> {
          long bytes = t.plugin().volumeBytes();
          var request = toCreate(t).setCapacityRange(range(bytes, bytes));
          Volume volume = t.prepared(() -> made(t, request));
          Reply reply = t.call(request.setCapacityRange(range(2 * bytes, 2 * bytes)));
          if (reply.isOk() && volume.getCapacityBytes() == 0) {
            checkSame(t, volume, volumeOf(t, reply));
          } else {
            // A plugin may check the size first, and refuse it before it notices that the name
            // exists.
            t.checkFails(reply, ALREADY_EXISTS, OUT_OF_RANGE);
          }
        });
    all.add(
        "controller/create/the-same-name-with-another-capability-is-no-other-volume",
        t -> {
          var request = toCreate(t);
          Volume volume = t.prepared(() -> made(t, request));
          isNoOther(t, volume, request.setVolumeCapabilities(0, otherCapability(t)));
        });
    all.add(
        "controller/create/the-same-name-with-another-parameter-is-no-other-volume",
        t -> {
          var request = toCreate(t);
          Volume volume = t.prepared(() -> made(t, request));
          isNoOther(t, volume, request.putParameters("csi4j.io/unknown", "1"));
        });
    all.add(
        "controller/create/the-same-name-with-another-source-is-refused",
        t -> {
          var request = toCreate(t);
          Snapshot snapshot = snapshot(t, t.prepared(() -> made(t, request)));
          t.refused(toFill(t, request, snapshot), ALREADY_EXISTS);
        });
    all.add(
        "controller/create/two-names-are-two-volumes",
        t -> {
          String first = create(t).getVolumeId();
          String second = create(t).getVolumeId();
          t.check(!first.equals(second), "two ids", "the id " + SafeText.quote(first) + " twice");
        });
    all.add(
        "controller/create/a-name-of-128-bytes-is-accepted", t -> namesOneVolume(t, name128(t)));
    all.add(
        "controller/create/a-name-in-any-script-is-accepted",
        t -> namesOneVolume(t, t.newName() + "-Größe-体积-том"));
  }

  /** Checks that a repeated creation with this name returns the same volume. */
  private static void namesOneVolume(Trial t, String name) {
    Volume unused = deletedVolume(t);
    var request = toCreate(t).setName(name);
    Volume first = made(t, request);
    checkSame(t, first, made(t, request));
  }

  /**
   * Checks that the plugin refuses the request, or answers it with the existing volume of that
   * name.
   */
  private static void isNoOther(Trial t, Volume volume, CreateVolumeRequest.Builder request) {
    Reply reply = t.best(request, OK, ALREADY_EXISTS, INVALID_ARGUMENT);
    if (reply.isOk()) {
      checkSame(t, volume, volumeOf(t, reply));
    }
  }

  private static void sourceCases(CaseSteps all) {
    all.add(
        "controller/create/a-volume-is-made-from-a-snapshot",
        t -> {
          Volume source = create(t);
          checkFilled(t, source, toCreate(t, snapshot(t, source)));
        });
    all.add(
        "controller/create/a-volume-is-made-from-a-volume",
        t -> {
          Volume source = create(t);
          checkFilled(t, source, toCreate(t, source));
        });
    all.add(
        "controller/create/a-size-below-the-source-is-out-of-range",
        t -> {
          Snapshot snapshot = snapshot(t, create(t));
          if (snapshot.getSizeBytes() <= 1) {
            throw CaseEndedException.skipped("the plugin does not report the size of snapshots");
          }
          var request =
              toCreate(t, snapshot).setCapacityRange(range(1, snapshot.getSizeBytes() - 1));
          checkUntold(t, size(t, request, OUT_OF_RANGE));
        });
    all.add(
        "controller/create/a-size-above-the-source-is-made-or-out-of-range",
        t -> {
          var request = toCreate(t, snapshot(t, create(t))).setCapacityRange(atLeast(bigger(t)));
          size(t, request, OK, OUT_OF_RANGE).ifPresent(size -> t.checkSize(size, bigger(t)));
        });
  }

  private static void checkFilled(Trial t, Volume source, CreateVolumeRequest.Builder request) {
    Volume volume = made(t, request);
    t.check(
        !volume.getVolumeId().equals(source.getVolumeId()),
        "another volume than its source",
        "the source itself, " + SafeText.quote(source.getVolumeId()));
    if (volume.getContentSource().getTypeCase() == VolumeContentSource.TypeCase.TYPE_NOT_SET) {
      t.advise("The volume names no content_source, by which callers know that it is not empty.");
    } else {
      t.check(
          volume.getContentSource().equals(request.getVolumeContentSource()),
          "the content_source that was requested, or none",
          "another one");
    }
  }

  private static void placeCases(CaseSteps all) {
    all.add(
        "topology/a-volume-is-made-where-it-was-asked-for",
        t ->
            t.check(
                isAccessibleFrom(place(t), create(t)),
                "an accessible_topology that includes the requested place, or none",
                "others"));
    all.add(
        "topology/the-capacity-of-a-place-is-told",
        t ->
            ControllerCases.checkCapacity(
                t,
                GetCapacityRequest.newBuilder()
                    .setAccessibleTopology(t.offers().info().getAccessibleTopology())));
    all.add(
        "topology/a-place-that-does-not-exist-is-refused",
        t -> {
          Topology.Builder nowhere = Topology.newBuilder();
          for (String key : t.offers().info().getAccessibleTopology().getSegmentsMap().keySet()) {
            nowhere.putSegments(key, "csi4j-nowhere");
          }
          Reply reply =
              t.best(
                  toCreate(t)
                      .setAccessibilityRequirements(
                          TopologyRequirement.newBuilder().addRequisite(nowhere)),
                  RESOURCE_EXHAUSTED,
                  INVALID_ARGUMENT);
          if (reply.isOk()) {
            t.check(
                isAccessibleFrom(nowhere.build(), volumeOf(t, reply)),
                "a refusal, or a volume that does not report where it is accessible",
                "a volume in other places than the one that was required");
          }
        });
    all.add(
        "topology/the-segments-of-the-node-are-well-formed",
        t -> {
          for (var each : t.offers().info().getAccessibleTopology().getSegmentsMap().entrySet()) {
            String key = each.getKey();
            String name = key.substring(key.indexOf('/') + 1);
            t.check(
                name.matches("[a-zA-Z0-9]([a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?"),
                "a key of at most 63 characters after its prefix",
                "the key " + SafeText.quote(key));
            t.check(
                each.getValue().matches("[a-zA-Z0-9]([a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?"),
                "a value of 1 to 63 characters",
                "the value " + SafeText.quote(each.getValue()));
          }
        });
  }

  /**
   * Returns whether a volume is accessible from a topology. A volume without a topology is
   * accessible everywhere.
   */
  private static boolean isAccessibleFrom(Topology from, Volume volume) {
    var place = comparable(from);
    return volume.getAccessibleTopologyCount() == 0
        || volume.getAccessibleTopologyList().stream()
            .anyMatch(each -> comparable(each).within(place).isPresent());
  }

  /** Returns a topology that compares its keys without regard to case, as the spec requires. */
  static io.csi4j.client.model.Topology comparable(Topology from) {
    return io.csi4j.client.model.Topology.of(from.getSegmentsMap());
  }

  private static void deleteCases(CaseSteps all) {
    all.add(
        "controller/delete/the-name-is-free-again",
        t -> {
          var request = toCreate(t);
          t.prepared(() -> deleted(t, made(t, request)));
          Volume unused = taken(t, request.setCapacityRange(atLeast(bigger(t))));
        });
    all.add(
        "controller/delete/a-volume-with-snapshots-is-deleted-or-kept-whole",
        t -> {
          Volume volume = create(t);
          Snapshot snapshot = snapshot(t, volume);
          if (t.best(toDelete(t, volume), OK, FAILED_PRECONDITION).isOk()) {
            made(t, toCreate(t, snapshot));
          } else {
            t.ok(to(t, ValidateVolumeCapabilitiesRequest.newBuilder(), volume));
          }
        });
  }
}
