package io.csi4j.testkit.mount;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;

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

  /** Does a piece of work, and throws what the kernel answers as a failure for its caller. */
  static <T> T explained(String doing, String syscall, MountPath target, Supplier<T> work) {
    try {
      return work.get();
    } catch (KernelRefusal e) {
      throw of(doing, syscall, e, target).build();
    } catch (Faults.KernelHang e) {
      throw refused(
              Reason.DEADLINE,
              doing,
              "the kernel in memory was told to let this call hang",
              "Release it with StuckCall.release",
              target)
          .build();
    }
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
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    KernelErrors.class.getResourceAsStream("errors.tsv"), "errors.tsv"),
                StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .skip(1)
          .map(line -> line.split("\t", -1))
          .collect(
              Collectors.toUnmodifiableMap(
                  row -> Integer.valueOf(row[0]),
                  row -> new Meaning(Reason.valueOf(row[2]), row[3], row[4])));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
