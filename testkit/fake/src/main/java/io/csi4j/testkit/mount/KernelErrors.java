package io.csi4j.testkit.mount;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import java.util.HashMap;
import java.util.Map;

/** The meaning of the errors of the kernel in memory for its callers, as rows of errors.tsv. */
final class KernelErrors {

  private record Meaning(Reason reason, String why, String next) {}

  private static final Map<Integer, Meaning> MEANINGS = read();

  private KernelErrors() {}

  /**
   * The failure for an error.
   *
   * @param doing what failed, such as {@code Unmounting /a}
   * @param syscall the system call that the real kernel would answer so
   */
  static MountException.Builder of(
      String doing, String syscall, KernelRefusal refusal, MountPath target) {
    String answer = "the kernel answered " + refusal.errno().name();
    Meaning other = new Meaning(Reason.OTHER, answer, "Look at what was done before");
    Meaning meaning = MEANINGS.getOrDefault(refusal.number(), other);
    return refused(meaning.reason, doing, meaning.why, meaning.next, target)
        .syscall(syscall, refusal.errno());
  }

  static MountException.Builder refused(
      Reason reason, String doing, String why, String next, MountPath target) {
    return MountException.builder(reason, doing + " failed: " + why + ". " + next + ".")
        .target(target);
  }

  static MountException hang(String doing, MountPath target) {
    return refused(
            Reason.DEADLINE,
            doing,
            "the kernel in memory was told to let this call hang",
            "Release it with StuckCall.release",
            target)
        .build();
  }

  static MountException stuck(String doing, int stuck, MountPath target) {
    return refused(
            Reason.STUCK,
            doing,
            stuck + " calls have not come back, and no more are made",
            "Release them with StuckCall.release",
            target)
        .build();
  }

  private static Map<Integer, Meaning> read() {
    Map<Integer, Meaning> all = new HashMap<>();
    Rows.of(KernelErrors.class.getResourceAsStream("errors.tsv"), 5)
        .forEach(
            row ->
                all.put(
                    Integer.valueOf(row.get(0)),
                    new Meaning(Reason.valueOf(row.get(2)), row.get(3), row.get(4))));
    return all;
  }
}
