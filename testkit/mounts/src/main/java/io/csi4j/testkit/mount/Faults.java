package io.csi4j.testkit.mount;

import io.csi4j.mount.model.Errno;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Faults injected into the next calls of each kind. */
final class Faults {

  private final Map<KernelCall, Deque<Fault>> next = new EnumMap<>(KernelCall.class);
  private final Set<StuckCall> stuck = new LinkedHashSet<>();

  /** An error, or a call that hangs. */
  private record Fault(@Nullable Errno errno, @Nullable StuckCall hang) {}

  void fail(KernelCall call, Errno errno) {
    add(call, new Fault(errno, null));
  }

  void hang(KernelCall call, StuckCall hang) {
    add(call, new Fault(null, hang));
  }

  private void add(KernelCall call, Fault fault) {
    next.computeIfAbsent(call, key -> new ArrayDeque<>()).add(fault);
  }

  void pass(KernelCall call) {
    Fault fault = next.getOrDefault(call, new ArrayDeque<>()).poll();
    if (fault != null && fault.hang != null && !fault.hang.isReleased()) {
      stuck.add(fault.hang);
      throw new KernelHang();
    }
    if (fault != null && fault.errno != null) {
      throw new KernelRefusal(fault.errno.number());
    }
  }

  int stuck() {
    return stuck.size();
  }

  void release(StuckCall call) {
    stuck.remove(call);
  }

  void clear() {
    next.clear();
    stuck.clear();
  }

  /** Thrown by a call that hangs in the in-memory kernel. */
  static final class KernelHang extends RuntimeException {

    private static final long serialVersionUID = 1L;

    KernelHang() {
      super("it does not come back", null, false, false);
    }
  }
}
