package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.SampleClaims.DB;
import static io.csi4j.conformance.internal.claims.SampleClaims.held;
import static io.csi4j.conformance.internal.claims.Scene.never;
import static io.csi4j.conformance.internal.claims.Scene.same;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.Versioned;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A store reads what was written. */
final class ReadingChecks {

  private ReadingChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "what was never written is held by nobody and has no version",
        scene -> scene.isThere(never(DB), "What was never written"));
    all.add(
        "reading writes nothing",
        scene -> {
          Versioned first = scene.read(DB);
          scene.isThere(first, "A second look");
          same(scene.scanned(), List.of(), "A scan of what was only read");
        });
    all.add(
        "what was written is read as it was",
        scene -> {
          Claim claim = held(DB, "a", "b");
          Versioned now = scene.write(scene.read(DB), claim);
          same(now.claim(), claim, "The claim in the answer to the write");
          scene.isThere(now, "What was read after the write");
        });
    all.add(
        "every form of a claim comes back",
        scene -> {
          Versioned at = scene.read(DB);
          for (Claim form : SampleClaims.everyForm(DB)) {
            at = scene.write(at, form);
            same(scene.read(DB).claim(), form, "A claim");
          }
        });
    all.add(
        "a claim that nobody holds keeps its epoch and its exhaustion",
        scene -> {
          Claim free =
              SampleClaims.claim(DB, 7, List.of())
                  .exhausted(Optional.of(SampleClaims.THEN.plusNanos(7)));
          Versioned written = scene.write(scene.read(DB), free);
          same(written.claim(), free, "The claim in the answer to the write");
          same(scene.read(DB).claim(), free, "A claim that nobody holds");
        });
    all.add(
        "a hundred holders come back in their order",
        scene -> {
          String[] crowd =
              IntStream.range(0, 100).mapToObj("w-%03d"::formatted).toArray(String[]::new);
          Versioned now = scene.write(DB, crowd);
          same(
              List.copyOf(scene.read(DB).claim().holders().values()),
              List.copyOf(now.claim().holders().values()),
              "The crowd");
          same(scene.read(DB).claim().holders().size(), 100, "The size of the crowd");
        });
    all.add(
        "sixty thousand characters are kept whole",
        scene -> {
          Claim large = SampleClaims.large(DB, 60_000);
          Versioned now = scene.write(scene.read(DB), large);
          same(now.claim(), large, "The large claim in the answer");
          same(scene.read(DB).claim(), large, "The large claim");
        });
  }
}
