package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.SampleClaims.DB;
import static io.csi4j.conformance.internal.claims.SampleClaims.held;
import static io.csi4j.conformance.internal.claims.Scene.check;
import static io.csi4j.conformance.internal.claims.Scene.never;
import static io.csi4j.conformance.internal.claims.Scene.same;
import static io.csi4j.conformance.internal.claims.Scene.token;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import java.util.List;
import java.util.Optional;

/** A write expects what has to be there; and no version comes twice. */
final class WritingChecks {

  private WritingChecks() {}

  static void addTo(AllChecks all) {
    versions(all);
    conflicts(all);
    replacing(all);
    marks(all);
    all.add("what is too large is kept whole or refused as such", WritingChecks::tooLarge);
  }

  private static void versions(AllChecks all) {
    all.add(
        "each write has a higher version",
        scene -> {
          Versioned at = scene.read(DB);
          for (int i = 0; i < 20; i++) {
            at = higher(scene, at, held(DB, "w-" + i));
          }
        });
    all.add(
        "versions grow also when nobody holds it any more",
        scene -> {
          Versioned at = scene.write(DB, "a");
          at = higher(scene, at, SampleClaims.claim(DB, 1, List.of()));
          at = higher(scene, at, held(DB, "a"));
          at = higher(scene, at, Claim.none(DB));
          scene.isThere(at, "What nobody holds any more");
        });
    all.add(
        "the same claim again is a write like any other",
        scene -> {
          Claim claim = held(DB, "a");
          Versioned now = higher(scene, scene.write(scene.read(DB), claim), claim);
          scene.isThere(now, "The claim that was written again");
        });
    all.add(
        "a version does not come back with the claim that it had",
        scene -> {
          Claim claim = held(DB, "a");
          Versioned first = scene.write(scene.read(DB), claim);
          Versioned third = scene.write(scene.write(first, held(DB, "b")), claim);
          same(scene.conflict(first.version(), held(DB, "c")).now(), third, "What is there");
        });
  }

  private static Versioned higher(Scene scene, Versioned before, Claim next) {
    Versioned now = scene.write(before, next);
    check(
        now.version().compareTo(before.version()) > 0,
        "A write after version " + before.version() + " was given " + now.version() + ".");
    return now;
  }

  private static void replacing(AllChecks all) {
    all.add(
        "what was seen last is replaced, also what was never written",
        scene -> {
          Versioned at = never(DB);
          for (String holder : List.of("a", "b", "c")) {
            at = scene.replaced(at, held(DB, holder));
            scene.isThere(at, "What was replaced");
          }
        });
    all.add(
        "what is not the write that was seen is not replaced, whatever its version",
        scene -> {
          Versioned there = scene.write(DB, "a");
          Versioned other = new Versioned(there.claim(), there.version(), Optional.of(token()));
          same(scene.notReplaced(other, held(DB, "b")), there, "What the conflict says is there");
          Versioned next = scene.write(there, held(DB, "a", "b"));
          same(scene.notReplaced(there, held(DB, "c")), next, "What the conflict says is there");
          scene.isThere(next, "What is there");
        });
  }

  private static void conflicts(AllChecks all) {
    all.add(
        "who expects an older version is told what is there",
        scene -> {
          Versioned first = scene.write(DB, "a");
          Versioned second = scene.write(first, held(DB, "a", "b"));
          scene.isToldByConflict(first.version(), held(DB, "c"), second);
        });
    all.add(
        "who expects that nothing was ever written is told what is there",
        scene -> {
          Versioned first = scene.write(DB, "a");
          scene.isToldByConflict(ClaimVersion.NEVER, held(DB, "c"), first);
        });
    all.add(
        "who expects a version of the future is told what is there",
        scene -> {
          Versioned first = scene.write(DB, "a");
          for (long ahead : List.of(1L, 1_000_000L)) {
            ClaimVersion future = new ClaimVersion(first.version().value() + ahead);
            scene.isToldByConflict(future, held(DB, "c"), first);
          }
        });
    all.add(
        "who expects a version of what was never written is told that",
        scene -> scene.isToldByConflict(new ClaimVersion(1), held(DB, "a"), never(DB)));
    all.add(
        "a conflict changes nothing",
        scene -> {
          Versioned first = scene.write(DB, "a");
          WriteResult result =
              scene.store().compareAndSet(ClaimVersion.NEVER, held(DB, "c"), token());
          scene.isThere(first, "What is there after " + result.getClass().getName());
          same(scene.scanned(), List.of(first), "A scan after a conflict");
        });
    all.add(
        "a conflict uses up nothing that the next write needs",
        scene -> {
          Versioned first = scene.write(DB, "a");
          Versioned seen = scene.conflict(ClaimVersion.NEVER, held(DB, "c")).now();
          Versioned second = scene.write(seen, held(DB, "b"));
          check(
              second.version().compareTo(first.version()) > 0,
              "The write after a conflict has no higher version.");
        });
  }

  private static void marks(AllChecks all) {
    all.add(
        "a write keeps its mark",
        scene -> {
          WriteToken token = token();
          WriteResult result =
              scene.store().compareAndSet(ClaimVersion.NEVER, held(DB, "a"), token);
          check(
              result instanceof WriteResult.Written written
                  && written.now().by().filter(token::equals).isPresent(),
              "The answer to a write does not carry its mark.");
          same(scene.read(DB).by(), Optional.of(token), "The mark of what was written");
        });
    all.add(
        "the same try twice is written once, and the second time is told by its mark",
        scene -> {
          WriteToken token = token();
          Claim claim = held(DB, "a");
          WriteResult first = scene.store().compareAndSet(ClaimVersion.NEVER, claim, token);
          Versioned now = scene.read(DB);
          Versioned second =
              Scene.told(scene.store().compareAndSet(ClaimVersion.NEVER, claim, token));
          same(second, now, "What is there at the second try, after " + first.getClass());
          same(second.by(), Optional.of(token), "The mark of what is there");
          scene.isThere(now, "What is there after the second try");
        });
    all.add(
        "a try that comes late does nothing",
        scene -> {
          Versioned first = scene.write(DB, "a");
          WriteToken token = token();
          Claim late = held(DB, "late");
          Versioned mine = Scene.written(scene.store().compareAndSet(first.version(), late, token));
          Versioned other = scene.write(mine, held(DB, "other"));
          WriteResult.Conflict again =
              Scene.conflict(
                  scene.store().compareAndSet(first.version(), late, token), first.version());
          same(again.now(), other, "What the late try is told");
          scene.isThere(other, "What is there after the late try");
        });
    all.add(
        "the mark of a write is that of the last one",
        scene -> {
          Versioned first = scene.write(DB, "a");
          WriteToken token = token();
          WriteResult result = scene.store().compareAndSet(first.version(), held(DB, "a"), token);
          same(
              scene.read(DB).by(),
              Optional.of(token),
              "The mark after " + result.getClass().getSimpleName());
        });
  }

  private static void tooLarge(Scene scene) {
    Versioned before = scene.write(DB, "a");
    Claim large = SampleClaims.large(DB, 4_000_000);
    Versioned expected = before;
    try {
      expected = scene.write(before, large);
      same(expected.claim(), large, "What is too large, in the answer");
    } catch (RecordStoreException e) {
      same(e.reason(), Reason.TOO_LARGE, "The reason of the refusal");
    }
    scene.isThere(expected, "What is there after the large write");
    Versioned after = scene.write(expected, held(DB, "b"));
    scene.isThere(after, "What is written after the large write");
  }
}
