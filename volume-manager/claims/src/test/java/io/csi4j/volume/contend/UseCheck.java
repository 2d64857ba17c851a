package io.csi4j.volume.contend;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.contend.History.Deed;
import io.csi4j.volume.model.ClaimMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Whether those who used a volume at one time could. A killed process counts as using what it used,
 * until the one that follows on it has found its claim: which has to be there, as nobody gave it
 * back.
 */
final class UseCheck {

  private final List<String> found = new ArrayList<>();

  private UseCheck() {}

  static List<String> of(History history) {
    UseCheck check = new UseCheck();
    Map<String, List<Deed>> volumes =
        history.deeds.stream()
            .sorted(Comparator.comparingLong(Deed::at))
            .collect(Collectors.groupingBy(Deed::volume, TreeMap::new, Collectors.toList()));
    volumes.forEach(check::volume);
    return check.found;
  }

  private void volume(String volume, List<Deed> deeds) {
    boolean isForOne =
        Contender.access(Integer.parseInt(volume.substring(volume.indexOf("/v") + 2)))
            == AccessMode.SINGLE_NODE_WRITER;
    Map<String, ClaimMode> users = new HashMap<>();
    for (Deed deed : deeds) {
      switch (deed.kind()) {
        case "uses" -> {
          users.put(deed.workload(), deed.mode());
          tooMany(users, isForOne)
              .ifPresent(problem -> found.add(volume + ": " + problem + " at " + deed.at()));
        }
        case "leaves" -> users.remove(deed.workload());
        default -> {
          boolean wasUsed = users.remove(deed.workload()) != null;
          if (wasUsed && !deed.detail().equals("TAKEN")) {
            found.add(
                volume + ": " + deed.workload() + " used it, and its claim was " + deed.detail());
          }
        }
      }
    }
  }

  private static Optional<String> tooMany(Map<String, ClaimMode> users, boolean isForOne) {
    long writers = users.values().stream().filter(mode -> mode == ClaimMode.WRITE).count();
    boolean isForNobodyElse = isForOne || users.containsKey(Claim.DELETION.value());
    return writers > 1 || (isForNobodyElse && users.size() > 1)
        ? Optional.of("used at one time by " + new TreeMap<>(users))
        : Optional.empty();
  }
}
