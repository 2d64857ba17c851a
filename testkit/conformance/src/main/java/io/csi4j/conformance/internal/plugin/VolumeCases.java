package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.OUT_OF_RANGE;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.FAR_TOO_MUCH;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_SNAPSHOT;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.atLeast;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.bigger;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.capability;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.name128;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.otherCapability;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.range;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.sourceOf;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toClone;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toCreate;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDelete;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toFill;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toValidate;

import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.text.SafeText;

/** How volumes come to be, and go. */
final class VolumeCases {

  private VolumeCases() {}

  static void addTo(CaseSteps all) {
    made(all);
    sizes(all);
    names(all);
    sources(all);
    places(all);
    deleted(all);
  }

  private static void made(CaseSteps all) {
    all.required("controller/create", t -> toCreate(t), "name", "volume_capabilities");
    all.ask(
        "controller/create/a-capability-without-access-type-is-refused",
        t -> toCreate(t).setVolumeCapabilities(0, capability(t).toBuilder().clearAccessType()));
    all.ask(
        "controller/create/a-capability-without-access-mode-is-refused",
        t -> toCreate(t).setVolumeCapabilities(0, capability(t).toBuilder().clearAccessMode()));
    all.add(
        "controller/create/a-volume-is-made",
        t -> {
          Volume volume = TestVolumes.taken(t, toCreate(t));
          t.adviseSize("volume_id", volume.getVolumeId());
          t.adviseSize("volume_context", volume.getVolumeContextMap());
          t.check(
              volume.getContentSource().getTypeCase() == VolumeContentSource.TypeCase.TYPE_NOT_SET,
              "no content_source, as none was asked for",
              "a content_source");
        });
    all.add(
        "controller/create/every-usual-capability-is-accepted",
        t -> {
          for (VolumeCapability each : LawfulRequests.capabilities(t)) {
            Volume unused = TestVolumes.taken(t, toCreate(t).setVolumeCapabilities(0, each));
          }
        });
  }

  private static void sizes(CaseSteps all) {
    all.add(
        "controller/create/a-volume-without-a-size-is-made",
        t -> {
          Volume unused = TestVolumes.deletedVolume(t);
          Reply reply = t.best(toCreate(t).clearCapacityRange(), OK);
          if (reply.isOk()) {
            long size = made(t, reply).getCapacityBytes();
            t.check(size >= 0, "a size that is not negative", size + " bytes");
          }
        });
    all.add(
        "controller/create/the-size-is-what-was-asked-for",
        t -> {
          long size = TestVolumes.create(t).getCapacityBytes();
          t.check(
              size == 0 || size >= t.plugin().volumeBytes(),
              "at least " + t.plugin().volumeBytes() + " bytes, or 0",
              size + " bytes");
        });
    all.add(
        "controller/create/the-limit-is-kept",
        t -> {
          long bytes = t.plugin().volumeBytes();
          Reply reply = t.best(toCreate(t).setCapacityRange(range(bytes, bytes)), OK, OUT_OF_RANGE);
          if (reply.isOk()) {
            long size = made(t, reply).getCapacityBytes();
            t.check(size == 0 || size == bytes, "exactly " + bytes + " bytes", size + " bytes");
          }
        });
    all.add(
        "controller/create/a-limit-below-the-required-size-is-refused",
        t -> {
          Reply reply =
              t.best(
                  toCreate(t).setCapacityRange(range(bigger(t), 1)),
                  OK,
                  INVALID_ARGUMENT,
                  OUT_OF_RANGE);
          t.check(
              !reply.isOk() || made(t, reply).getCapacityBytes() == 0,
              "a refusal, or a volume whose size is not told",
              t.shown(reply));
        });
    all.ask(
        "controller/create/a-negative-size-is-refused",
        t -> toCreate(t).setCapacityRange(atLeast(-1)));
    all.add(
        "controller/create/a-size-that-nobody-has-is-refused",
        t -> {
          Reply reply =
              t.best(
                  toCreate(t).setCapacityRange(atLeast(FAR_TOO_MUCH)),
                  OK,
                  OUT_OF_RANGE,
                  RESOURCE_EXHAUSTED,
                  INVALID_ARGUMENT);
          if (reply.isOk()) {
            long size = made(t, reply).getCapacityBytes();
            t.check(
                size == 0 || size >= FAR_TOO_MUCH,
                "a refusal, or at least " + FAR_TOO_MUCH + " bytes, or 0",
                size + " bytes");
          }
        });
  }

  /** The volume of a reply to CreateVolume. */
  private static Volume made(Trial t, Reply reply) {
    return t.answer(reply, CreateVolumeResponse.class).getVolume();
  }

  private static void names(CaseSteps all) {
    all.add(
        "controller/create/the-same-again-is-the-same-volume",
        t -> {
          var request = toCreate(t);
          Volume first = TestVolumes.taken(t, request);
          t.checkSame(
              "the volume ", first.getVolumeId(), TestVolumes.made(t, request).getVolumeId());
        });
    all.add(
        "controller/create/the-same-name-with-another-size-is-refused",
        t -> {
          long bytes = t.plugin().volumeBytes();
          var request = toCreate(t).setCapacityRange(range(bytes, bytes));
          Volume volume = t.prepared(() -> TestVolumes.made(t, request));
          Reply reply = t.call(request.setCapacityRange(range(2 * bytes, 2 * bytes)));
          if (reply.isOk() && volume.getCapacityBytes() == 0) {
            t.checkSame("the volume ", volume.getVolumeId(), made(t, reply).getVolumeId());
          } else {
            // A plugin may look first whether it makes volumes of that size at all.
            t.check(
                reply.code() == ALREADY_EXISTS || reply.code() == OUT_OF_RANGE,
                reply,
                "fails with " + Trial.words(ALREADY_EXISTS, OUT_OF_RANGE));
          }
        });
    all.add(
        "controller/create/the-same-name-with-another-capability-is-no-other-volume",
        t -> {
          var request = toCreate(t);
          Volume volume = t.prepared(() -> TestVolumes.made(t, request));
          isNoOther(t, volume, request.setVolumeCapabilities(0, otherCapability(t)));
        });
    all.add(
        "controller/create/the-same-name-with-another-parameter-is-no-other-volume",
        t -> {
          var request = toCreate(t);
          Volume volume = t.prepared(() -> TestVolumes.made(t, request));
          isNoOther(t, volume, request.putParameters("csi4j.io/unknown", "1"));
        });
    all.ask(
        "controller/create/the-same-name-with-another-source-is-refused",
        t -> {
          var request = toCreate(t);
          Snapshot snapshot =
              TestSnapshots.snapshot(t, t.prepared(() -> TestVolumes.made(t, request)));
          return toFill(t, request, snapshot);
        });
    all.add(
        "controller/create/two-names-are-two-volumes",
        t -> {
          String first = TestVolumes.create(t).getVolumeId();
          String second = TestVolumes.create(t).getVolumeId();
          t.check(!first.equals(second), "two ids", "the id " + SafeText.quote(first) + " twice");
        });
    all.add(
        "controller/create/a-name-of-128-bytes-is-accepted", t -> namesOneVolume(t, name128(t)));
    all.add(
        "controller/create/a-name-in-any-script-is-accepted",
        t -> namesOneVolume(t, t.newName() + "-Größe-体积-том"));
  }

  /** A plugin that makes volumes makes one of this name, asked twice. */
  private static void namesOneVolume(Trial t, String name) {
    Volume unused = TestVolumes.deletedVolume(t);
    var request = toCreate(t).setName(name);
    Volume first = TestVolumes.made(t, request);
    t.checkSame("the volume ", first.getVolumeId(), TestVolumes.made(t, request).getVolumeId());
  }

  /** The request is refused, or answered with the volume of that name. */
  private static void isNoOther(Trial t, Volume volume, CreateVolumeRequest.Builder request) {
    Reply reply = t.best(request, OK, ALREADY_EXISTS, INVALID_ARGUMENT);
    if (reply.isOk()) {
      t.checkSame("the volume ", volume.getVolumeId(), made(t, reply).getVolumeId());
    }
  }

  private static void sources(CaseSteps all) {
    all.add(
        "controller/create/a-volume-is-made-from-a-snapshot",
        t -> {
          Volume source = TestVolumes.create(t);
          filled(t, source, toFill(t, TestSnapshots.snapshot(t, source)));
        });
    all.add(
        "controller/create/a-volume-is-made-from-a-volume",
        t -> {
          Volume source = TestVolumes.create(t);
          filled(t, source, toClone(t, source));
        });
    all.add(
        "controller/create/an-unknown-source-snapshot-is-not-found",
        t -> UnknownThings.snapshot(t, NOT_FOUND, snapshot -> toFill(t, snapshot)));
    all.add(
        "controller/create/an-unknown-source-volume-is-not-found",
        t -> UnknownThings.volume(t, NOT_FOUND, volume -> toClone(t, volume)));
    all.add(
        "controller/create/a-source-without-an-id-is-refused",
        t ->
            t.refusedRather(
                toCreate(t).setVolumeContentSource(sourceOf(Snapshot.getDefaultInstance())),
                INVALID_ARGUMENT,
                NOT_FOUND));
    all.ask(
        "controller/create/a-source-that-the-plugin-cannot-use-is-refused",
        t -> toCreate(t).setVolumeContentSource(sourceOf(NO_SUCH_SNAPSHOT)));
    all.add(
        "controller/create/a-size-below-the-source-is-out-of-range",
        t -> {
          Snapshot snapshot = TestSnapshots.snapshot(t, TestVolumes.create(t));
          if (snapshot.getSizeBytes() <= 1) {
            throw new CaseEndedException.Skipped("the plugin does not tell the size of snapshots");
          }
          Reply reply =
              t.best(
                  toCreate(t)
                      .setCapacityRange(range(1, snapshot.getSizeBytes() - 1))
                      .setVolumeContentSource(sourceOf(snapshot)),
                  OUT_OF_RANGE);
          t.check(
              !reply.isOk() || made(t, reply).getCapacityBytes() == 0,
              "a refusal, or a volume whose size is not told",
              t.shown(reply));
        });
    all.add(
        "controller/create/a-size-above-the-source-is-made-or-out-of-range",
        t -> {
          Snapshot snapshot = TestSnapshots.snapshot(t, TestVolumes.create(t));
          Reply reply =
              t.best(
                  toCreate(t)
                      .setCapacityRange(atLeast(bigger(t)))
                      .setVolumeContentSource(sourceOf(snapshot)),
                  OK,
                  OUT_OF_RANGE);
          if (reply.isOk()) {
            long size = made(t, reply).getCapacityBytes();
            t.check(
                size == 0 || size >= bigger(t),
                "at least " + bigger(t) + " bytes",
                size + " bytes");
          }
        });
  }

  private static void filled(Trial t, Volume source, CreateVolumeRequest.Builder request) {
    Volume volume = TestVolumes.made(t, request);
    t.check(
        !volume.getVolumeId().equals(source.getVolumeId()),
        "another volume than its source",
        "the source itself, " + SafeText.quote(source.getVolumeId()));
    if (volume.getContentSource().getTypeCase() == VolumeContentSource.TypeCase.TYPE_NOT_SET) {
      t.advise("The volume names no content_source, by which callers know that it is not empty.");
    } else {
      t.check(
          volume.getContentSource().equals(request.getVolumeContentSource()),
          "the content_source that was asked for, or none",
          "another one");
    }
  }

  private static void places(CaseSteps all) {
    all.add(
        "topology/a-volume-is-made-where-it-was-asked-for",
        t -> {
          t.check(
              isAccessibleFrom(LawfulRequests.place(t), TestVolumes.create(t)),
              "an accessible_topology that includes the place that was asked for, or none",
              "others");
        });
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
                isAccessibleFrom(nowhere.build(), made(t, reply)),
                "a refusal, or a volume that does not say from where it is accessible",
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

  /** Whether a volume is accessible from a place: one that names no places is so from all. */
  private static boolean isAccessibleFrom(Topology from, Volume volume) {
    var place = place(from);
    return volume.getAccessibleTopologyCount() == 0
        || volume.getAccessibleTopologyList().stream()
            .anyMatch(each -> place(each).within(place).isPresent());
  }

  /** A place, which compares its keys as the spec asks: without regard to case. */
  static io.csi4j.client.model.Topology place(Topology from) {
    return io.csi4j.client.model.Topology.of(from.getSegmentsMap());
  }

  private static void deleted(CaseSteps all) {
    all.required("controller/delete", t -> toDelete(t, NO_SUCH_VOLUME), "volume_id");
    all.add(
        "controller/delete/an-unknown-volume-is-gone-already",
        t -> UnknownThings.volume(t, OK, volume -> toDelete(t, volume)));
    all.add("controller/delete/again-succeeds", t -> t.okTwice(toDelete(t, TestVolumes.create(t))));
    all.ask(
        "controller/delete/a-deleted-volume-is-unknown",
        t -> {
          Volume volume = TestVolumes.create(t);
          t.prepare(toDelete(t, volume));
          return toValidate(t, volume);
        });
    all.add(
        "controller/delete/the-name-is-free-again",
        t -> {
          var request = toCreate(t);
          t.prepare(toDelete(t, TestVolumes.made(t, request)));
          Volume unused = TestVolumes.taken(t, request.setCapacityRange(atLeast(bigger(t))));
        });
    all.ask(
        "controller/delete/a-volume-in-use-is-deleted-or-kept",
        t -> {
          Volume volume = TestVolumes.create(t);
          TestVolumes.attach(t, volume);
          return toDelete(t, volume);
        });
    all.add(
        "controller/delete/a-volume-with-snapshots-is-deleted-or-kept-whole",
        t -> {
          Volume volume = TestVolumes.create(t);
          Snapshot snapshot = TestSnapshots.snapshot(t, volume);
          if (t.best(toDelete(t, volume), OK, FAILED_PRECONDITION).isOk()) {
            TestVolumes.made(t, toFill(t, snapshot));
          } else {
            t.ok(toValidate(t, volume));
          }
        });
  }
}
