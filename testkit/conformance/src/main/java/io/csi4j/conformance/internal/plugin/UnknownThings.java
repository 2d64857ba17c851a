package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.StatusCode;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Steps that fail unless a call about something that does not exist ends with the right code. */
final class UnknownThings {

  private UnknownThings() {}

  static Consumer<Trial> unknownVolume(
      StatusCode code, BiFunction<Trial, Volume, MessageOrBuilder> request) {
    return t -> {
      if (isNoId(t, code, request.apply(t, LawfulRequests.NO_SUCH_VOLUME)) && Need.CREATE.met(t)) {
        endsWith(t, request.apply(t, TestVolumes.deletedVolume(t)), code, code);
      }
    };
  }

  /**
   * Ends the case if the plugin does not take the call for a volume that exists: it may refuse its
   * other fields before it looks for the volume.
   *
   * @param undo the call that undoes the first one, without which the volume cannot be deleted; or
   *     null if none is needed
   */
  static Consumer<Trial> unknownVolumeIfTaken(
      StatusCode code,
      BiFunction<Trial, Volume, MessageOrBuilder> request,
      @Nullable BiFunction<Trial, Volume, MessageOrBuilder> undo) {
    return t -> {
      Reply reply = t.call(request.apply(t, LawfulRequests.NO_SUCH_VOLUME));
      t.check(!reply.isOk(), reply, "ends with " + Trial.words(code));
      if (reply.code() == code) {
        return;
      }
      Volume volume = Need.CREATE.met(t) ? TestVolumes.create(t) : TestVolumes.volume(t);
      t.checkTaken(request.apply(t, volume));
      if (undo != null) {
        t.prepare(undo.apply(t, volume));
      }
      // From here on, the requests differ in the volume alone from one that the plugin takes.
      String unknown = LawfulRequests.NO_SUCH_VOLUME.getVolumeId();
      if (isNoId(t, code, request.apply(t, volume.toBuilder().setVolumeId(unknown).build()))
          && Need.CREATE.met(t)) {
        endsWith(t, request.apply(t, TestVolumes.deleted(t, volume)), code, code);
      }
    };
  }

  static Consumer<Trial> unknownSnapshot(
      StatusCode code, BiFunction<Trial, Snapshot, MessageOrBuilder> request) {
    return t -> {
      if (isNoId(t, code, request.apply(t, LawfulRequests.NO_SUCH_SNAPSHOT))
          && Need.SNAPSHOTS.met(t)
          && Need.CREATE.met(t)) {
        endsWith(t, request.apply(t, TestSnapshots.deletedSnapshot(t)), code, code);
      }
    };
  }

  static Consumer<Trial> unknownGroup(
      StatusCode code, BiFunction<Trial, VolumeGroupSnapshot, MessageOrBuilder> request) {
    return t -> {
      if (isNoId(t, code, request.apply(t, LawfulRequests.NO_SUCH_GROUP)) && Need.CREATE.met(t)) {
        VolumeGroupSnapshot gone = TestSnapshots.group(t, TestVolumes.create(t));
        t.prepare(LawfulRequests.toDeleteGroup(t, gone));
        endsWith(t, request.apply(t, gone), code, code);
      }
    };
  }

  /**
   * Whether the plugin finds that the id is none of its own, which it may; else fails if not so.
   */
  private static boolean isNoId(Trial t, StatusCode code, MessageOrBuilder request) {
    return endsWith(t, request, code, StatusCode.INVALID_ARGUMENT).code()
        == StatusCode.INVALID_ARGUMENT;
  }

  private static Reply endsWith(Trial t, MessageOrBuilder request, StatusCode code, StatusCode or) {
    Reply reply = t.call(request);
    t.check(reply.code() == code || reply.code() == or, reply, "ends with " + Trial.words(code));
    return reply;
  }
}
