-- The V menu: what players say with two keys. Who hears a line is in the menu, and the rest is that of base.

local base = import "base"

base.voiceMenu {
  { "A", text "say_attack", {
    { "A", text "v_attack" }, { "B", text "v_attack_base" }, { "F", text "v_get_flag" },
  } },
  { "D", text "say_defend", {
    { "B", text "v_defend_base" }, { "F", text "v_guard_flag" }, { "R", text "v_return_flag" },
  } },
  { "N", text "say_need", {
    { "C", text "v_cover" }, { "H", text "v_help" }, { "R", text "v_ride" },
  } },
  { "R", text "say_answer", {
    { "Y", text "v_yes" }, { "N", text "v_no" }, { "W", text "v_wait" },
  } },
  { "G", text "say_all", to = "all", {
    { "H", text "v_hello" }, { "B", text "v_bye" }, { "Y", text "v_yes" }, { "N", text "v_no" },
    { "T", text "v_thanks" }, { "S", text "v_sorry" }, { "G", text "v_well_done" },
  } },
}
