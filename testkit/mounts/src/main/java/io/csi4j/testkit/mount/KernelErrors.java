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

/** Failures of the in-memory kernel, as rows of errors.tsv. */
final class KernelErrors {

  private record Meaning(Reason reason, String why, String next) {}

  /** Meanings by error number, or by the name that the code uses for a failure. */
  private static final Map<String, Meaning> MEANINGS = read();

  private KernelErrors() {}

  /**
   * Returns the failure for an error.
   *
   * @param doing the failed action, such as {@code Unmounting /a}
   * @param syscall the system call that fails this way on a real kernel
   */
  static MountException.Builder of(
      String doing, String syscall, KernelRefusal refusal, MountPath target) {
    String answer = "the kernel answered " + refusal.errno().name();
    Meaning other = new Meaning(Reason.OTHER, answer, "Check the earlier calls");
    String number = String.valueOf(refusal.number());
    return refused(MEANINGS.getOrDefault(number, other), doing, target)
        .syscall(syscall, refusal.errno());
  }

  /**
   * Returns a failure that is not an error of a system call.
   *
   * @param facts values for the placeholders in the row
   */
  static MountException.Builder refused(
      String word, String doing, MountPath target, Object... facts) {
    return refused(Objects.requireNonNull(MEANINGS.get(word), word), doing, target, facts);
  }

  private static MountException.Builder refused(
      Meaning meaning, String doing, MountPath target, Object... facts) {
    String why = meaning.why.formatted(facts);
    String text = "%s failed: %s. %s.".formatted(doing, why, meaning.next);
    return MountException.builder(meaning.reason, text).target(target);
  }

  /** Runs a task, and translates an error of the kernel into a failure for its caller. */
  static <T> T explained(String doing, String syscall, MountPath target, Supplier<T> work) {
    try {
      return work.get();
    } catch (KernelRefusal e) {
      throw of(doing, syscall, e, target).build();
    } catch (Faults.KernelHang e) {
      throw refused("hang", doing, target).build();
    }
  }

  private static Map<String, Meaning> read() {
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
                  row -> row[0], row -> new Meaning(Reason.valueOf(row[2]), row[3], row[4])));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
