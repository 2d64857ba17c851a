package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.OUT_OF_RANGE;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_SNAPSHOT;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.Cases.expect;
import static io.csi4j.conformance.internal.plugin.Cases.required;

import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.text.SafeText;
import java.util.ArrayList;
import java.util.List;

/** How volumes come to be, and go. */
final class VolumeCases {

  private static final long FAR_TOO_MUCH = Long.MAX_VALUE / 2;
  private static final String CREATE = "CreateVolume";
  private static final String DELETE = "DeleteVolume";

  private VolumeCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    fields(all);
    made(all);
    sizes(all);
    again(all);
    names(all);
    sources(all);
    places(all);
    deleted(all);
    return all;
  }

  private static void fields(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.CREATE);
    for (String field : List.of("name", "volume_capabilities")) {
      all.add(
          required(
              "controller/create",
              CsiRpc.CREATE_VOLUME,
              field,
              needs,
              t -> LawfulRequests.create(t).build()));
    }
    all.add(
        expect(
                "controller/create/a-capability-without-access-type-is-refused",
                "CreateVolume is refused if a capability says neither block nor mount.",
                CREATE,
                needs,
                t ->
                    t.refused(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t)
                            .setVolumeCapabilities(
                                0, LawfulRequests.capability(t).toBuilder().clearAccessType())
                            .build(),
                        INVALID_ARGUMENT))
            .rows(506));
    all.add(
        expect(
                "controller/create/a-capability-without-access-mode-is-refused",
                "CreateVolume is refused if a capability has no access mode.",
                CREATE,
                needs,
                t ->
                    t.refused(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t)
                            .setVolumeCapabilities(
                                0, LawfulRequests.capability(t).toBuilder().clearAccessMode())
                            .build(),
                        INVALID_ARGUMENT))
            .rows(506));
    all.add(
        required(
            "controller/delete",
            CsiRpc.DELETE_VOLUME,
            "volume_id",
            needs,
            t -> LawfulRequests.delete(t, NO_SUCH_VOLUME)));
  }

  private static void made(List<SuiteCase> all) {
    all.add(
        expect(
            "controller/create/a-volume-is-made",
            "CreateVolume answers with the volume: its id, and what it holds in sizes that callers"
                + " take.",
            CREATE,
            List.of(Needs.CREATE),
            t -> {
              Volume volume = CaseSteps.create(t);
              FieldSizes.advise(t, "volume_id", volume.getVolumeId());
              FieldSizes.advise(t, "volume_context", volume.getVolumeContextMap());
              t.check(
                  !volume.hasContentSource(),
                  "no content_source, as none was asked for",
                  "a content_source");
            }));
    all.add(
        expect(
            "controller/create/every-usual-capability-is-accepted",
            "A volume can be made for each capability of the plugin's description.",
            CREATE,
            List.of(Needs.CREATE),
            t -> {
              for (VolumeCapability each : LawfulRequests.capabilities(t)) {
                CaseSteps.volume(t, each);
              }
            }));
  }

  private static void sizes(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.CREATE);
    all.add(
        expect(
            "controller/create/a-volume-without-a-size-is-made",
            "capacity_range is optional: the plugin then chooses the size.",
            CREATE,
            needs,
            t -> {
              Volume volume =
                  CaseSteps.create(t, LawfulRequests.create(t).clearCapacityRange().build());
              t.check(
                  volume.getCapacityBytes() >= 0,
                  "a size that is not negative",
                  volume.getCapacityBytes() + " bytes");
            }));
    all.add(
        expect(
            "controller/create/the-size-is-what-was-asked-for",
            "A volume has at least required_bytes, or its size is not told (0).",
            CREATE,
            needs,
            t -> {
              long size = CaseSteps.create(t).getCapacityBytes();
              t.check(
                  size == 0 || size >= t.plugin().volumeBytes(),
                  "at least " + t.plugin().volumeBytes() + " bytes, or 0",
                  size + " bytes");
            }));
    all.add(
        expect(
            "controller/create/the-limit-is-kept",
            "A volume has at most limit_bytes; where that cannot be, the range is refused.",
            CREATE,
            needs,
            t -> {
              long bytes = t.plugin().volumeBytes();
              Reply reply =
                  t.best(
                      CsiRpc.CREATE_VOLUME,
                      LawfulRequests.create(t)
                          .setCapacityRange(LawfulRequests.range(bytes, bytes))
                          .build(),
                      OK);
              if (reply.isOk()) {
                long size = t.answer(CsiRpc.CREATE_VOLUME, reply).getVolume().getCapacityBytes();
                t.check(size == 0 || size == bytes, "exactly " + bytes + " bytes", size + " bytes");
              }
            }));
    all.add(
        expect(
                "controller/create/a-limit-below-the-required-size-is-refused",
                "A range whose limit_bytes is below its required_bytes is refused.",
                CREATE,
                needs,
                t ->
                    t.refusedBest(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t)
                            .setCapacityRange(LawfulRequests.range(2 * t.plugin().volumeBytes(), 1))
                            .build(),
                        INVALID_ARGUMENT,
                        OUT_OF_RANGE))
            .rows(507, 1266));
    all.add(
        expect(
                "controller/create/a-negative-size-is-refused",
                "A size below zero is refused.",
                CREATE,
                needs,
                t ->
                    t.refusedBest(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t)
                            .setCapacityRange(LawfulRequests.atLeast(-1))
                            .build(),
                        INVALID_ARGUMENT,
                        OUT_OF_RANGE))
            .rows(507));
    all.add(
        expect(
                "controller/create/a-size-that-nobody-has-is-refused",
                "A volume of 4 EiB is refused as out of range, or for lack of space.",
                CREATE,
                needs,
                t ->
                    t.refusedBest(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t)
                            .setCapacityRange(LawfulRequests.atLeast(FAR_TOO_MUCH))
                            .build(),
                        OUT_OF_RANGE,
                        RESOURCE_EXHAUSTED))
            .rows(1266));
  }

  private static void again(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.CREATE);
    all.add(
        expect(
            "controller/create/the-same-again-is-the-same-volume",
            "CreateVolume is idempotent by name: repeated, it answers with the same volume.",
            CREATE,
            needs,
            t -> {
              CreateVolumeRequest request = LawfulRequests.create(t).build();
              Volume first = CaseSteps.create(t, request);
              sameId(t, first, CaseSteps.create(t, request));
            }));
    all.add(
        expect(
                "controller/create/the-same-name-with-another-size-is-refused",
                "A name that stands for a volume of another size is refused.",
                "CreateVolume Errors",
                needs,
                t -> {
                  long bytes = t.plugin().volumeBytes();
                  CreateVolumeRequest request =
                      LawfulRequests.create(t)
                          .setCapacityRange(LawfulRequests.range(bytes, bytes))
                          .build();
                  CaseSteps.create(t, request);
                  t.refused(
                      CsiRpc.CREATE_VOLUME,
                      request.toBuilder()
                          .setCapacityRange(LawfulRequests.range(2 * bytes, 2 * bytes))
                          .build(),
                      ALREADY_EXISTS);
                })
            .rows(1264));
    all.add(
        expect(
                "controller/create/the-same-name-with-another-capability-is-no-other-volume",
                "A name stands for one volume, also if it is asked for with another capability.",
                "CreateVolume Errors",
                needs,
                t -> {
                  CreateVolumeRequest request = LawfulRequests.create(t).build();
                  differing(
                      t,
                      request,
                      request.toBuilder()
                          .setVolumeCapabilities(0, LawfulRequests.otherCapability(t))
                          .build());
                })
            .rows(1264));
    all.add(
        expect(
                "controller/create/the-same-name-with-another-parameter-is-no-other-volume",
                "A name stands for one volume, also if it is asked for with other parameters.",
                "CreateVolume Errors",
                needs,
                t -> {
                  CreateVolumeRequest request = LawfulRequests.create(t).build();
                  differing(
                      t,
                      request,
                      request.toBuilder().putParameters("csi4j.io/unknown", "1").build());
                })
            .rows(1264));
    all.add(
        expect(
                "controller/create/the-same-name-with-another-source-is-refused",
                "A name that stands for an empty volume is refused for one from a snapshot.",
                "CreateVolume Errors",
                List.of(Needs.CREATE, Needs.SNAPSHOTS),
                t -> {
                  CreateVolumeRequest request = LawfulRequests.create(t).build();
                  Volume volume = CaseSteps.create(t, request);
                  Snapshot snapshot = CaseSteps.snapshot(t, volume);
                  t.refused(
                      CsiRpc.CREATE_VOLUME,
                      request.toBuilder()
                          .setVolumeContentSource(from(snapshot.getSnapshotId()))
                          .build(),
                      ALREADY_EXISTS);
                })
            .rows(1264));
  }

  private static void differing(Trial t, CreateVolumeRequest first, CreateVolumeRequest second)
      throws CaseEndedException {
    Volume volume = CaseSteps.create(t, first);
    Reply reply = t.best(CsiRpc.CREATE_VOLUME, second, ALREADY_EXISTS, INVALID_ARGUMENT);
    if (reply.isOk()) {
      sameId(t, volume, t.answer(CsiRpc.CREATE_VOLUME, reply).getVolume());
    }
  }

  private static void sameId(Trial t, Volume first, Volume second) throws CaseEndedException {
    t.check(
        first.getVolumeId().equals(second.getVolumeId()),
        "the volume " + SafeText.quote(first.getVolumeId()),
        "the volume " + SafeText.quote(second.getVolumeId()));
  }

  private static void names(List<SuiteCase> all) {
    all.add(
        expect(
            "controller/create/two-names-are-two-volumes",
            "Volumes of different names have different ids.",
            CREATE,
            List.of(Needs.CREATE),
            t -> {
              Volume first = CaseSteps.create(t);
              Volume second = CaseSteps.create(t);
              t.check(
                  !first.getVolumeId().equals(second.getVolumeId()),
                  "two ids",
                  "the id " + SafeText.quote(first.getVolumeId()) + " twice");
            }));
    named(
        all,
        "a-name-of-128-bytes-is-accepted",
        "A name of 128 bytes is accepted.",
        t -> long128(t));
    named(
        all,
        "a-name-in-any-script-is-accepted",
        "A name may hold any Unicode character that is no control character.",
        t -> t.newName() + "-Größe-体积-том");
  }

  /** A name of 128 bytes. */
  static String long128(Trial t) {
    String name = t.newName() + "-";
    return name + "x".repeat(128 - name.length());
  }

  /** Makes a name. */
  @FunctionalInterface
  private interface Name {
    String make(Trial t);
  }

  private static void named(List<SuiteCase> all, String name, String expectation, Name maker) {
    all.add(
        expect(
            "controller/create/" + name,
            expectation,
            CREATE,
            List.of(Needs.CREATE),
            t -> {
              CreateVolumeRequest request = LawfulRequests.create(t).setName(maker.make(t)).build();
              Volume first = CaseSteps.create(t, request);
              sameId(t, first, CaseSteps.create(t, request));
            }));
  }

  static VolumeContentSource from(String snapshot) {
    return VolumeContentSource.newBuilder()
        .setSnapshot(VolumeContentSource.SnapshotSource.newBuilder().setSnapshotId(snapshot))
        .build();
  }

  private static VolumeContentSource cloneOf(String volume) {
    return VolumeContentSource.newBuilder()
        .setVolume(VolumeContentSource.VolumeSource.newBuilder().setVolumeId(volume))
        .build();
  }

  private static void sources(List<SuiteCase> all) {
    List<Need> snapshots = List.of(Needs.CREATE, Needs.SNAPSHOTS);
    List<Need> clones = List.of(Needs.CREATE, Needs.CLONE);
    all.add(
        expect(
            "controller/create/a-volume-is-made-from-a-snapshot",
            "A volume from a snapshot is a volume of its own, and names the snapshot.",
            CREATE,
            snapshots,
            t -> {
              Volume source = CaseSteps.create(t);
              filled(t, source, from(CaseSteps.snapshot(t, source).getSnapshotId()));
            }));
    all.add(
        expect(
            "controller/create/a-volume-is-made-from-a-volume",
            "A clone is a volume of its own, and names the volume that it came from.",
            CREATE,
            clones,
            t -> {
              Volume source = CaseSteps.create(t);
              filled(t, source, cloneOf(source.getVolumeId()));
            }));
    all.add(
        expect(
                "controller/create/an-unknown-source-snapshot-is-not-found",
                "CreateVolume from a snapshot that does not exist is refused.",
                "CreateVolume Errors",
                snapshots,
                t ->
                    t.refused(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t)
                            .setVolumeContentSource(from(NO_SUCH_SNAPSHOT))
                            .build(),
                        NOT_FOUND))
            .rows(1263));
    all.add(
        expect(
                "controller/create/an-unknown-source-volume-is-not-found",
                "CreateVolume from a volume that does not exist is refused.",
                "CreateVolume Errors",
                clones,
                t ->
                    t.refused(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t)
                            .setVolumeContentSource(cloneOf(NO_SUCH_VOLUME))
                            .build(),
                        NOT_FOUND))
            .rows(1263));
    all.add(
        expect(
                "controller/create/a-source-without-an-id-is-refused",
                "A content source that names nothing is refused.",
                CREATE,
                snapshots,
                t ->
                    t.refusedBest(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t).setVolumeContentSource(from("")).build(),
                        INVALID_ARGUMENT))
            .rows(506));
    all.add(
        expect(
                "controller/create/a-source-that-the-plugin-cannot-use-is-refused",
                "A plugin that makes no volumes from snapshots refuses one, and does not make an"
                    + " empty volume.",
                "CreateVolume Errors",
                List.of(Needs.CREATE, Needs.not(Needs.SNAPSHOTS)),
                t ->
                    t.refusedBest(
                        CsiRpc.CREATE_VOLUME,
                        LawfulRequests.create(t)
                            .setVolumeContentSource(from(NO_SUCH_SNAPSHOT))
                            .build(),
                        INVALID_ARGUMENT,
                        NOT_FOUND))
            .rows(1262));
    all.add(
        expect(
                "controller/create/a-size-below-the-source-is-out-of-range",
                "A volume smaller than the snapshot that fills it is refused.",
                "CreateVolume Errors",
                snapshots,
                t -> {
                  Volume source = CaseSteps.create(t);
                  Snapshot snapshot = CaseSteps.snapshot(t, source);
                  if (snapshot.getSizeBytes() <= 1) {
                    throw new CaseEndedException.Skipped(
                        "the plugin does not tell the size of snapshots");
                  }
                  t.refusedBest(
                      CsiRpc.CREATE_VOLUME,
                      LawfulRequests.create(t)
                          .setCapacityRange(LawfulRequests.range(1, snapshot.getSizeBytes() - 1))
                          .setVolumeContentSource(from(snapshot.getSnapshotId()))
                          .build(),
                      OUT_OF_RANGE);
                })
            .rows(1266));
    all.add(
        expect(
                "controller/create/a-size-above-the-source-is-made-or-out-of-range",
                "A volume larger than the snapshot that fills it is made, or refused as out of"
                    + " range.",
                CREATE,
                snapshots,
                t -> {
                  Volume source = CaseSteps.create(t);
                  Snapshot snapshot = CaseSteps.snapshot(t, source);
                  long bytes = 2 * t.plugin().volumeBytes();
                  Reply reply =
                      t.best(
                          CsiRpc.CREATE_VOLUME,
                          LawfulRequests.create(t)
                              .setCapacityRange(LawfulRequests.atLeast(bytes))
                              .setVolumeContentSource(from(snapshot.getSnapshotId()))
                              .build(),
                          OK,
                          OUT_OF_RANGE);
                  if (reply.isOk()) {
                    long size =
                        t.answer(CsiRpc.CREATE_VOLUME, reply).getVolume().getCapacityBytes();
                    t.check(
                        size == 0 || size >= bytes,
                        "at least " + bytes + " bytes",
                        size + " bytes");
                  }
                })
            .rows(790, 1266));
  }

  private static void filled(Trial t, Volume source, VolumeContentSource from)
      throws CaseEndedException {
    Volume volume =
        CaseSteps.create(t, LawfulRequests.create(t).setVolumeContentSource(from).build());
    t.check(
        !volume.getVolumeId().equals(source.getVolumeId()),
        "another volume than its source",
        "the source itself, " + SafeText.quote(source.getVolumeId()));
    t.check(
        volume.getContentSource().equals(from),
        "the content_source that was asked for",
        volume.hasContentSource() ? "another one" : "none");
  }

  private static void places(List<SuiteCase> all) {
    all.add(
        expect(
            "topology/a-volume-is-made-where-it-was-asked-for",
            "A volume is accessible from one of the places that were required.",
            CREATE,
            List.of(Needs.CREATE, Needs.TOPOLOGY, Needs.PLACE),
            t -> {
              Volume volume = CaseSteps.create(t);
              Topology here = t.offers().info().getAccessibleTopology();
              t.check(
                  volume.getAccessibleTopologyCount() > 0,
                  "accessible_topology, which such a plugin tells",
                  "none");
              t.check(
                  volume.getAccessibleTopologyList().stream()
                      .anyMatch(
                          each ->
                              here.getSegmentsMap()
                                  .entrySet()
                                  .containsAll(each.getSegmentsMap().entrySet())),
                  "an accessible_topology that includes the node's",
                  "others");
            }));
    all.add(
        expect(
                "topology/a-place-that-does-not-exist-is-refused",
                "A volume that is required where the plugin has nothing is refused.",
                "CreateVolume Errors",
                List.of(Needs.CREATE, Needs.TOPOLOGY, Needs.PLACE),
                t -> {
                  Topology.Builder nowhere = Topology.newBuilder();
                  t.offers()
                      .info()
                      .getAccessibleTopology()
                      .getSegmentsMap()
                      .keySet()
                      .forEach(key -> nowhere.putSegments(key, "csi4j-nowhere"));
                  t.refusedBest(
                      CsiRpc.CREATE_VOLUME,
                      LawfulRequests.create(t)
                          .setAccessibilityRequirements(
                              TopologyRequirement.newBuilder().addRequisite(nowhere))
                          .build(),
                      RESOURCE_EXHAUSTED,
                      INVALID_ARGUMENT);
                })
            .rows(1265));
    all.add(
        expect(
            "topology/the-segments-of-the-node-are-well-formed",
            "The keys of a topology are a name of at most 63 characters after an optional prefix,"
                + " and its values have at most 63.",
            "NodeGetInfo",
            List.of(Needs.PLACE),
            t -> {
              for (var each :
                  t.offers().info().getAccessibleTopology().getSegmentsMap().entrySet()) {
                String key = each.getKey();
                String name = key.substring(key.indexOf('/') + 1);
                t.check(
                    name.matches("[a-zA-Z0-9]([a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?"),
                    "a key of at most 63 characters after its prefix",
                    "the key " + SafeText.quote(key));
                t.check(
                    each.getValue().matches("([a-zA-Z0-9]([a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?)?"),
                    "a value of at most 63 characters",
                    "the value " + SafeText.quote(each.getValue()));
              }
            }));
  }

  private static void deleted(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.CREATE);
    all.add(
        expect(
            "controller/delete/an-unknown-volume-is-gone-already",
            "DeleteVolume of a volume that does not exist succeeds.",
            DELETE,
            needs,
            t -> {
              t.ok(CsiRpc.DELETE_VOLUME, LawfulRequests.delete(t, NO_SUCH_VOLUME));
            }));
    all.add(
        expect(
            "controller/delete/again-succeeds",
            "DeleteVolume is idempotent.",
            DELETE,
            needs,
            t -> {
              Volume volume = CaseSteps.create(t);
              t.ok(CsiRpc.DELETE_VOLUME, LawfulRequests.delete(t, volume.getVolumeId()));
              t.ok(CsiRpc.DELETE_VOLUME, LawfulRequests.delete(t, volume.getVolumeId()));
            }));
    all.add(
        expect(
            "controller/delete/a-deleted-volume-is-unknown",
            "What was deleted is known no more.",
            DELETE,
            needs,
            t -> {
              Volume volume = CaseSteps.create(t);
              t.ok(CsiRpc.DELETE_VOLUME, LawfulRequests.delete(t, volume.getVolumeId()));
              t.refused(
                  CsiRpc.VALIDATE_VOLUME_CAPABILITIES,
                  LawfulRequests.validate(t, volume).build(),
                  NOT_FOUND);
            }));
    all.add(
        expect(
            "controller/delete/the-name-is-free-again",
            "After a volume was deleted, its name can be used for another size.",
            DELETE,
            needs,
            t -> {
              CreateVolumeRequest request = LawfulRequests.create(t).build();
              Volume volume = CaseSteps.create(t, request);
              t.ok(CsiRpc.DELETE_VOLUME, LawfulRequests.delete(t, volume.getVolumeId()));
              CapacityRange twice = LawfulRequests.atLeast(2 * t.plugin().volumeBytes());
              CaseSteps.create(t, request.toBuilder().setCapacityRange(twice).build());
            }));
    all.add(
        expect(
                "controller/delete/a-volume-in-use-is-better-kept",
                "DeleteVolume of a volume that is attached is refused, and the volume stays.",
                "DeleteVolume Errors",
                List.of(Needs.CREATE, Needs.ATTACH),
                t -> {
                  Volume volume = CaseSteps.create(t);
                  CaseSteps.attach(t, volume);
                  Reply reply =
                      t.best(
                          CsiRpc.DELETE_VOLUME,
                          LawfulRequests.delete(t, volume.getVolumeId()),
                          FAILED_PRECONDITION);
                  if (!reply.isOk()) {
                    t.ok(
                        CsiRpc.VALIDATE_VOLUME_CAPABILITIES,
                        LawfulRequests.validate(t, volume).build());
                  }
                })
            .rows(1308));
    all.add(
        expect(
                "controller/delete/a-volume-with-snapshots-is-deleted-or-kept-whole",
                "DeleteVolume of a volume with a snapshot succeeds and keeps the snapshot, or is"
                    + " refused.",
                DELETE,
                List.of(Needs.CREATE, Needs.SNAPSHOTS),
                t -> {
                  Volume volume = CaseSteps.create(t);
                  Snapshot snapshot = CaseSteps.snapshot(t, volume);
                  Reply reply =
                      t.best(
                          CsiRpc.DELETE_VOLUME,
                          LawfulRequests.delete(t, volume.getVolumeId()),
                          OK,
                          FAILED_PRECONDITION);
                  if (reply.isOk()) {
                    CaseSteps.create(
                        t,
                        LawfulRequests.create(t)
                            .setVolumeContentSource(from(snapshot.getSnapshotId()))
                            .build());
                  }
                })
            .rows(1308, 1281));
  }
}
