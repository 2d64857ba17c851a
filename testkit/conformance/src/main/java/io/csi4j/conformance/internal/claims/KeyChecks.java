package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.SampleClaims.DB;
import static io.csi4j.conformance.internal.claims.SampleClaims.held;
import static io.csi4j.conformance.internal.claims.Scene.never;
import static io.csi4j.conformance.internal.claims.Scene.same;

import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.model.VolumeKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Each volume has its own claim, under any name. */
final class KeyChecks {

  private KeyChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "keys do not touch each other",
        scene -> {
          VolumeKey other = SampleClaims.key("team", "db");
          Versioned ours = scene.write(DB, "a");
          Versioned theirs = scene.write(other, "b");
          scene.isThere(ours, "The claim of " + DB);
          same(scene.read(other), theirs, "The claim of " + other);
        });
    all.add(
        "names of any letters are kept apart",
        scene -> keptApart(scene, SampleClaims.trickyKeys()));
    all.add(
        "names of a thousand characters are kept apart",
        scene ->
            keptApart(
                scene,
                List.of(
                    SampleClaims.key("n", "x".repeat(1024)),
                    SampleClaims.key("n", "x".repeat(1023) + "y"),
                    SampleClaims.key("x".repeat(1024), "x".repeat(1024)),
                    SampleClaims.key("n".repeat(1024), "\ud834\udd1e".repeat(512)),
                    SampleClaims.key("n".repeat(1024), "\ud834\udd1e".repeat(511) + "zz"))));
    all.add(
        "a version is that of one key alone",
        scene -> {
          Versioned ours = scene.write(scene.write(DB, "a"), held(DB, "b"));
          VolumeKey other = VolumeKey.of("other");
          same(
              scene.conflict(ours.version(), held(other, "c")).now(),
              never(other),
              "What is there of another key");
        });
  }

  private static void keptApart(Scene scene, List<VolumeKey> keys) {
    Map<VolumeKey, Versioned> written = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      VolumeKey key = keys.get(i);
      same(scene.read(key), never(key), "A volume before it was written");
      written.put(key, scene.write(key, "w-" + i));
    }
    written.forEach((key, now) -> same(scene.read(key), now, "The claim of a volume"));
    List<VolumeKey> scanned = Scene.keys(scene.scanned());
    same(
        scanned.stream().sorted().toList(),
        keys.stream().sorted().toList(),
        "The names that a scan shows");
  }
}
