"""Which keys an object of Block Kit may have, and which it must have.

From the types that Slack publishes (npm `@slack/types` 3.2.0); a `!` marks what must be there.
"""

from tests.servers.slack.wire import Json

_PICKER = "action_id confirm focus_on_load placeholder"
_TYPED = "action_id dispatch_action_config focus_on_load initial_value placeholder"
_OPTIONS = f"{_PICKER} option_groups options"

_BLOCKS = {
    "actions": "elements!",
    "alert": "level text!",
    "card": "actions body hero_image icon subtitle title",
    "carousel": "elements!",
    "container": "child_blocks! default_collapsed has_header_divider icon is_collapsible "
    "rich_text_title subtitle title width",
    "context_actions": "elements!",
    "context": "elements!",
    "data_table": "caption! page_size row_header_column_index rows!",
    "divider": "",
    "file": "external_id! source!",
    "header": "text!",
    "image": "alt_text! image_url slack_file title",
    "input": "dispatch_action element! hint label! optional",
    "markdown": "text!",
    "plan": "tasks title!",
    "rich_text": "elements!",
    "section": "accessory expand fields text",
    "table": "column_settings rows!",
    "task_card": "details output sources status! task_id! title!",
    "video": "alt_text! author_name description provider_icon_url provider_name thumbnail_url! "
    "title! title_url video_url!",
}
_ELEMENTS = {
    "button": "accessibility_label action_id confirm style text! url value",
    "channels_select": f"{_PICKER} initial_channel response_url_enabled",
    "checkboxes": "action_id confirm focus_on_load initial_options options!",
    "conversations_select": f"{_PICKER} default_to_current_conversation filter "
    "initial_conversation response_url_enabled",
    "datepicker": f"{_PICKER} initial_date",
    "datetimepicker": "action_id confirm focus_on_load initial_date_time",
    "email_text_input": _TYPED,
    "external_select": f"{_PICKER} initial_option min_query_length",
    "feedback_buttons": "action_id negative_button! positive_button!",
    "file_input": "action_id filetypes max_files",
    "icon_button": "accessibility_label action_id confirm icon! text! value visible_to_user_ids",
    "image": "alt_text! image_url slack_file",
    "multi_static_select": f"{_OPTIONS} initial_options max_selected_items",
    "multi_users_select": f"{_PICKER} initial_users max_selected_items",
    "number_input": f"{_TYPED} is_decimal_allowed! max_value min_value",
    "overflow": "action_id confirm options!",
    "plain_text_input": f"{_TYPED} max_length min_length multiline",
    "radio_buttons": "action_id confirm focus_on_load initial_option options!",
    "rich_text_input": f"{_TYPED} max_lines min_lines",
    "static_select": f"{_OPTIONS} initial_option",
    "timepicker": f"{_PICKER} initial_time timezone",
    "url_text_input": _TYPED,
    "users_select": f"{_PICKER} initial_user",
    "workflow_button": "accessibility_label action_id confirm style text! workflow!",
}
_RICH = {
    "broadcast": "range! style",
    "channel": "channel_id! style",
    "color": "style value!",
    "date": "fallback format! style timestamp! url",
    "emoji": "name! style unicode url",
    "link": "style text unsafe url!",
    "rich_text_list": "border elements! indent offset style!",
    "rich_text_preformatted": "border elements! language",
    "rich_text_quote": "border elements!",
    "rich_text_section": "elements!",
    "team": "style team_id!",
    "text": "style text!",
    "user": "style user_id!",
    "usergroup": "style usergroup_id!",
}
_TEXTS = {"mrkdwn": "text! verbatim", "plain_text": "emoji text!"}
_CHUNKS = {
    "blocks": "blocks!",
    "markdown_text": "text!",
    "plan_update": "title!",
    "task_update": "details id! output sources status! title!",
}
_VIEWS = {
    "modal": "blocks! callback_id clear_on_close close external_id notify_on_close "
    "private_metadata submit title!",
    "home": "blocks! callback_id external_id private_metadata",
}
FAMILIES = {
    "block": {name: f"block_id {keys}" for name, keys in _BLOCKS.items()},
    "element": _ELEMENTS,
    "rich text": _RICH,
    "text": _TEXTS,
    "chunk": _CHUNKS,
    "view": _VIEWS,
}


def faults_of_shape(given: Json, family: str, path: str) -> list[str]:
    """Return what is wrong with the type and the keys of an object."""
    kind = given.get("type")
    known = FAMILIES[family]
    if kind not in known:
        return [f"unsupported type: {kind} [json-pointer:{path}/type]"]
    keys = known[kind].split()
    needed = {key[:-1] for key in keys if key.endswith("!")}
    allowed = {key.rstrip("!") for key in keys} | {"type"}
    missing = sorted(needed - given.keys())
    unknown = sorted(given.keys() - allowed)
    return [f"missing required field: {key} [json-pointer:{path}]" for key in missing] + [
        f"invalid additional property: {key} [json-pointer:{path}]" for key in unknown
    ]
