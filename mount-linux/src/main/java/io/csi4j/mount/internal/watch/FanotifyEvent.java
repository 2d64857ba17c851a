package io.csi4j.mount.internal.watch;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A report of {@code fanotify} about one mount.
 *
 * @param mask the changes
 * @param mount its unique number; empty if events were lost
 * @param actor the process that caused it; empty if the kernel hides it
 */
record FanotifyEvent(long mask, OptionalLong mount, OptionalLong actor) {

  /**
   * Returns whether the mount is at a new path; both this and {@link #left} are true if it was
   * moved.
   */
  boolean came() {
    return (mask & Abi.FAN_MNT_ATTACH) != 0;
  }

  /** Returns whether the mount is no longer at its former path. */
  boolean left() {
    return (mask & Abi.FAN_MNT_DETACH) != 0;
  }

  /** Returns whether events before the next one were lost. */
  boolean isLoss() {
    return (mask & Abi.FAN_Q_OVERFLOW) != 0;
  }

  /** Returns the events in the first bytes of a buffer. */
  static List<FanotifyEvent> decode(byte[] buffer, int length) {
    List<FanotifyEvent> events = new ArrayList<>();
    int at = 0;
    while (at + Abi.FAN_EVENT_METADATA_SIZE <= length) {
      int size = Struct.u32(buffer, at + Abi.FAN_EVENT_AT_LENGTH);
      if (size < Abi.FAN_EVENT_METADATA_SIZE || size > length - at) {
        break;
      }
      int pid = Struct.u32(buffer, at + Abi.FAN_EVENT_AT_PID);
      events.add(
          new FanotifyEvent(
              Struct.u64(buffer, at + Abi.FAN_EVENT_AT_MASK),
              mount(buffer, at, at + size),
              pid > 0 ? OptionalLong.of(pid) : OptionalLong.empty()));
      at += size;
    }
    return events;
  }

  /** Returns the mount that one of the event's information records names. */
  private static OptionalLong mount(byte[] buffer, int event, int end) {
    int at = event + Struct.u16(buffer, event + Abi.FAN_EVENT_AT_METADATA_LENGTH);
    while (at + Abi.FAN_INFO_MNT_SIZE <= end) {
      int size = Struct.u16(buffer, at + Abi.FAN_INFO_AT_LENGTH);
      if (buffer[at + Abi.FAN_INFO_AT_TYPE] == Abi.FAN_EVENT_INFO_TYPE_MNT) {
        return OptionalLong.of(Struct.u64(buffer, at + Abi.FAN_INFO_AT_MNT_ID));
      }
      if (size <= 0) {
        break;
      }
      at += size;
    }
    return OptionalLong.empty();
  }
}
